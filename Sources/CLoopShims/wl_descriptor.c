#define _GNU_SOURCE
#include "wl_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int16_t wl_descriptor_probe(int32_t descriptor) {
  // poll(2) skips negative numbers without a word.
  if (descriptor < 0) return POLLNVAL;
  struct pollfd polled = {.fd = descriptor, .events = POLLIN | POLLOUT | POLLRDHUP};
  while (poll(&polled, 1, 0) < 0)
    if (errno != EINTR) return 0;
  return polled.revents;
}

int64_t wl_descriptor_unread_bytes(int32_t descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

int32_t wl_descriptor_check(int32_t descriptor) {
  int set = epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) {
    // No descriptor is left to ask with. Some regular files of /proc would be accepted; few are watched.
    struct stat status;
    if (fstat(descriptor, &status) != 0) return errno;
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? EPERM : 0;
  }
  struct epoll_event event = {.events = EPOLLIN};
  int error = epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
  close(set);
  return error;
}

int32_t wl_descriptor_is_open(int32_t descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

void wl_descriptor_close(int32_t descriptor) { close(descriptor); }
