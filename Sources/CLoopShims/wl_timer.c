#include "wl_timer.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>

#define NANOSECONDS_A_SECOND 1000000000

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME};

int32_t wl_timer_create(int32_t clock) {
  int descriptor = timerfd_create(clocks[clock], TFD_CLOEXEC | TFD_NONBLOCK);
  return descriptor >= 0 ? descriptor : -errno;
}

void wl_timer_set(int32_t descriptor, int64_t deadline) {
  struct itimerspec setting = {0};
  if (deadline != INT64_MAX) {
    // Zero would disarm, and there is no time before it.
    if (deadline < 1) deadline = 1;
    setting.it_value.tv_sec = deadline / NANOSECONDS_A_SECOND;
    setting.it_value.tv_nsec = deadline % NANOSECONDS_A_SECOND;
  }
  // An absolute timer of the wall clock follows its settings by itself: with TFD_TIMER_CANCEL_ON_SET each of
  // them would also wake a loop that has nothing to do.
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &setting, 0);
}

int32_t wl_timer_watch_settings(int32_t descriptor) {
  // A date that no clock comes to: what cancels it is all that is waited for.
  struct itimerspec setting = {.it_value = {.tv_sec = INT64_MAX / NANOSECONDS_A_SECOND}};
  int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
  return timerfd_settime(descriptor, flags, &setting, 0) == 0 ? 0 : errno;
}

int64_t wl_clock_now(int32_t clock) {
  struct timespec now;
  clock_gettime(clocks[clock], &now);
  return (int64_t)now.tv_sec * NANOSECONDS_A_SECOND + now.tv_nsec;
}
