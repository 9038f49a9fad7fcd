#ifndef WL_TIMER_H
#define WL_TIMER_H

#include <stdint.h>

// Clocks by the numbers of the seam: 0 monotonic, 1 boottime, 2 realtime.

// A timerfd, or a negative errno value.
int32_t wl_timer_create(int32_t clock);
// Sets the absolute time in nanoseconds; INT64_MAX disarms. Whatever had expired is forgotten.
void wl_timer_set(int32_t descriptor, int64_t deadline);
// Makes a timer of the realtime clock become readable when that is set, or the machine wakes from sleep, and at no
// other time. Returns ECANCELED if that has happened since it was last called, else 0; in both cases it watches on.
int32_t wl_timer_watch_settings(int32_t descriptor);
// Reads a clock in nanoseconds.
int64_t wl_clock_now(int32_t clock);

#endif
