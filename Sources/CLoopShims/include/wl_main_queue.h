#ifndef WL_MAIN_QUEUE_H
#define WL_MAIN_QUEUE_H

#include <stdint.h>

// The descriptor that becomes readable when the main dispatch queue has blocks; -1: another owns the queue.
int32_t wl_main_queue_descriptor(void);
// Makes the descriptor silent until the next block; Dispatch itself never reads it.
void wl_main_queue_clear(int32_t descriptor);
// Runs the blocks posted before the call. On the main thread only.
void wl_main_queue_drain(void);

#endif
