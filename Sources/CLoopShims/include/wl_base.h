#ifndef WL_BASE_H
#define WL_BASE_H

#include <stdint.h>

// One libevent base: a set of watched descriptors and the one blocking call. Confined to one thread.
// Its callbacks only append to an array, so that nothing of the loop ever runs inside libevent.
typedef struct wl_base wl_base;

#define WL_READ 1u
#define WL_WRITE 2u
// Reported only, of sockets watched for reading: the peer has closed its writing side.
#define WL_CLOSED 4u

typedef struct {
  uintptr_t token;
  uint32_t readiness;
} wl_ready;

// What one run found. `events` stays valid until the next call on the base.
typedef struct {
  const wl_ready *events;
  uint32_t count;
  // The united bits of the loop's own descriptors that were ready.
  uint32_t internal;
  // The kernel's batch was full: more may be ready.
  int32_t batch_full;
  // An errno value; 0 is none.
  int32_t error;
} wl_collected;

// NULL with an errno value in `error` if the kernel refuses.
wl_base *wl_base_create(int32_t *error);

// `in_forked_child`: only numbers are closed; the epoll set shared with the parent is not touched.
void wl_base_free(wl_base *base, int32_t in_forked_child);

// The descriptor of the base's epoll set.
int32_t wl_base_poll_descriptor(const wl_base *base);

// Grows whenever the file behind that number has been replaced.
uint32_t wl_base_generation(const wl_base *base);
// Whether a run is due though the epoll set may be silent: it has to be rebuilt, or would not have a descriptor.
int32_t wl_base_must_run(const wl_base *base);

// An epoll set for others to poll, which shows what bases it is shown; a negative errno value if it is refused.
int32_t wl_mirror_create(void);
// Makes the mirror readable while the base's set is. It lasts for a generation of the base.
int32_t wl_base_show(const wl_base *base, int32_t mirror);

// The errno values that these return come from the kernel, which is asked before libevent; 0 is none.
// Watching a number again replaces what it had.
int32_t wl_base_watch(wl_base *base, int32_t descriptor, uint32_t interest, uintptr_t token);
// Watches a descriptor of the loop's own for reading; it is reported as `bit` of `internal`.
int32_t wl_base_watch_internal(wl_base *base, int32_t descriptor, uint32_t bit, int32_t edge_triggered);
// EBADF or ENOENT: closed under us. The watch stays until it is ended.
int32_t wl_base_modify(wl_base *base, int32_t descriptor, uint32_t interest);
// EBADF or ENOENT: closed under us. The epoll set is then rebuilt before it is next asked.
int32_t wl_base_unwatch(wl_base *base, int32_t descriptor);

// Collects what is ready; `blocking` waits until something is.
wl_collected wl_base_run(wl_base *base, int32_t blocking);

#endif
