#define _GNU_SOURCE
#include "wl_process.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Older C libraries have neither name.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define PROCESS_BY_DESCRIPTOR ((idtype_t)3)

int32_t wl_process_open(int32_t pid) {
  // Close-on-exec without being asked.
  long descriptor = syscall(SYS_pidfd_open, pid, 0);
  return descriptor >= 0 ? (int32_t)descriptor : -errno;
}

static wl_process_state ask(idtype_t kind, id_t identifier, int options) {
  siginfo_t information = {0};
  while (waitid(kind, identifier, &information, options | WEXITED | WNOHANG) != 0)
    if (errno != EINTR) return (wl_process_state){.error = errno};
  // Nothing is filled in while the child runs.
  if (information.si_pid == 0) return (wl_process_state){0};
  return (wl_process_state){.code = information.si_code, .status = information.si_status};
}

wl_process_state wl_process_peek(int32_t descriptor) {
  return ask(PROCESS_BY_DESCRIPTOR, (id_t)descriptor, WNOWAIT);
}

wl_process_state wl_process_reap(int32_t descriptor) {
  return ask(PROCESS_BY_DESCRIPTOR, (id_t)descriptor, 0);
}
