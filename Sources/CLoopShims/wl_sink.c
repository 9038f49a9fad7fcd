#include "wl_sink.h"

void wl_sink(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }
