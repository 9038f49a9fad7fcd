#ifndef WL_DESCRIPTOR_H
#define WL_DESCRIPTOR_H

#include <stdint.h>

// The `revents` of one poll(2) without waiting; `events` unites reading, writing and the peer's closing.
int16_t wl_descriptor_probe(int32_t descriptor);
// FIONREAD, or -1 where the descriptor can't say.
int64_t wl_descriptor_unread_bytes(int32_t descriptor);
// Whether epoll would have the descriptor: 0, or the errno value with which it is refused.
int32_t wl_descriptor_check(int32_t descriptor);
int32_t wl_descriptor_is_open(int32_t descriptor);
void wl_descriptor_close(int32_t descriptor);

#endif
