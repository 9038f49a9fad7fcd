#include "wl_foreign_set.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

int32_t wl_foreign_set_make_mark(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int32_t wl_foreign_set_find(int32_t mark) {
  struct rlimit limit;
  // Numbers are given out from below, so that the search ends long before the limit.
  int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (1 << 24) ? (int)limit.rlim_cur : 1 << 24;
  // No other set, and no other file, lets a descriptor be modified that only this set watches.
  struct epoll_event nothing = {.events = 0};
  for (int number = 0; number < end; number++)
    if (number != mark && epoll_ctl(number, EPOLL_CTL_MOD, mark, &nothing) == 0) return number;
  return -1;
}

void wl_foreign_set_shut_out(int32_t set, int32_t descriptor) {
  struct epoll_event nothing = {.events = 0};
  epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &nothing);
}

void wl_foreign_set_let_in(int32_t set, int32_t descriptor) { epoll_ctl(set, EPOLL_CTL_DEL, descriptor, 0); }
