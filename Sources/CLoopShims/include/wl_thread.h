#ifndef WL_THREAD_H
#define WL_THREAD_H

#include <stdint.h>

typedef struct {
  // Seconds since 2001-01-01; NaN while no loop runs on the thread.
  double wake_date;
  // Nanoseconds of CLOCK_MONOTONIC.
  int64_t wake_instant;
  uint64_t iteration;
  void *running_loop;
  // Set by wl_thread_set_own_loop only, which arms the end of the thread.
  void *own_loop;
  // 0 until asked for.
  int32_t thread_id;
} wl_thread_state;

// The calling thread's own; valid on that thread until it has ended.
wl_thread_state *wl_thread(void);
int32_t wl_thread_id(void);
int32_t wl_thread_is_main(void);

// Called with a thread's own loop when the thread ends; given once, before any loop is set.
void wl_thread_on_exit(void (*callback)(void *own_loop));
void wl_thread_set_own_loop(void *own_loop);

// For the fork handler alone: the child's thread has another number.
void wl_thread_forget_ids_in_child(void);

#endif
