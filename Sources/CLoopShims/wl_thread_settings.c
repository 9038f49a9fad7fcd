#define _GNU_SOURCE
#include "wl_thread_settings.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int32_t wl_thread_set_name(const char *name) {
  char cut[16];
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = 0;
  return pthread_setname_np(pthread_self(), cut);
}

int32_t wl_thread_set_policy(int32_t policy, int32_t priority) {
  static const int policies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR};
  struct sched_param parameter = {.sched_priority = policy >= wl_policy_fifo ? priority : 0};
  return pthread_setschedparam(pthread_self(), policies[policy], &parameter);
}

int32_t wl_thread_set_nice(int32_t nice) {
  // On Linux it is a thread that has it, whatever POSIX says of processes.
  return setpriority(PRIO_PROCESS, (id_t)gettid(), nice) == 0 ? 0 : errno;
}

int32_t wl_thread_set_timer_slack(uint64_t nanoseconds) {
  return prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds, 0, 0, 0) == 0 ? 0 : errno;
}

int32_t wl_thread_processor_count(void) {
  cpu_set_t set;
  // It is refused on machines with more processors than the set has room for.
  if (sched_getaffinity(0, sizeof set, &set) != 0) return CPU_SETSIZE;
  int32_t count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}
