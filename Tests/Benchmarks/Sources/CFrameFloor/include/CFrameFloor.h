#ifndef CFRAMEFLOOR_H
#define CFRAMEFLOOR_H

#include <stdint.h>

/// The least that pacing can cost: one absolute timerfd in one epoll set, and nothing else.
///
/// Waits for `count` instants that lie `interval` nanoseconds apart and writes how many nanoseconds after each it
/// was awake. Returns 0, or an errno value.
int frame_floor_run(int64_t interval, int32_t count, int64_t *lateness);

/// Nanoseconds of CPU time of the calling thread.
int64_t frame_floor_cpu_time(void);

/// Nanoseconds of CLOCK_MONOTONIC.
int64_t frame_floor_now(void);

#endif
