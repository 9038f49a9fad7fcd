#define _GNU_SOURCE
#include "wl_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
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

int32_t wl_descriptor_is_open(int32_t descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

void wl_descriptor_close(int32_t descriptor) { close(descriptor); }
