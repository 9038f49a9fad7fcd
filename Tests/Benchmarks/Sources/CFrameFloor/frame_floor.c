#include "CFrameFloor.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t frame_floor_cpu_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

int64_t frame_floor_now(void) { return read_clock(CLOCK_MONOTONIC); }

int frame_floor_run(int64_t interval, int32_t count, int64_t *lateness) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  int set = epoll_create1(EPOLL_CLOEXEC);
  int error = 0;
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  if (timer < 0 || set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, timer, &event) != 0) {
    error = errno;
    count = 0;
  }
  int64_t start = frame_floor_now();
  for (int32_t frame = 0; frame < count; frame++) {
    int64_t due = start + interval * (frame + 1);
    struct itimerspec setting = {
        .it_value = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL);
    while (epoll_wait(set, &event, 1, -1) < 0 && errno == EINTR) {
    }
    lateness[frame] = frame_floor_now() - due;
  }
  if (timer >= 0) close(timer);
  if (set >= 0) close(set);
  return error;
}
