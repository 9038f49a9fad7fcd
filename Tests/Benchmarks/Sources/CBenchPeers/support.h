#ifndef CBENCH_SUPPORT_H
#define CBENCH_SUPPORT_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline void require(bool holds, const char *sentence) {
  if (!holds) {
    fprintf(stderr, "libevent peer: %s\n", sentence);
    exit(1);
  }
}

// The same numbers as the Swift side draws.
static inline uint64_t next_random(uint64_t *state) {
  uint64_t mixed = (*state += 0x9E3779B97F4A7C15u);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

static inline uint64_t random_below(uint64_t *state, uint64_t bound) {
  return (uint64_t)(((unsigned __int128)next_random(state) * bound) >> 64);
}

// 1 to 2 h.
static inline struct timeval random_delay(uint64_t *state) {
  uint64_t microseconds = 3600000000u + random_below(state, 3600000000u);
  struct timeval delay = {(time_t)(microseconds / 1000000u), (suseconds_t)(microseconds % 1000000u)};
  return delay;
}

// A base as one makes it for precise timers on one thread.
static inline struct event_base *new_base(void) {
  struct event_config *config = event_config_new();
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
  struct event_base *base = event_base_new_with_config(config);
  event_config_free(config);
  require(base != NULL, "no event base");
  return base;
}

#endif
