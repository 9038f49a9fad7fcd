#include "wl_waker.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "wl_fork.h"

struct wl_waker {
  atomic_uint flags;
  atomic_uint sleeping;
  atomic_uint references;
  int descriptor;
  uint32_t generation;
};

wl_waker *wl_waker_create(int32_t *error) {
  wl_waker *waker = calloc(1, sizeof *waker);
  if (!waker) {
    *error = ENOMEM;
    return NULL;
  }
  waker->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (waker->descriptor < 0) {
    *error = errno;
    free(waker);
    return NULL;
  }
  atomic_init(&waker->references, 1);
  waker->generation = wl_fork_generation();
  *error = 0;
  return waker;
}

void wl_waker_retain(wl_waker *waker) {
  atomic_fetch_add_explicit(&waker->references, 1, memory_order_relaxed);
}

void wl_waker_release(wl_waker *waker) {
  if (atomic_fetch_sub_explicit(&waker->references, 1, memory_order_acq_rel) != 1) return;
  close(waker->descriptor);
  free(waker);
}

int32_t wl_waker_mark(wl_waker *waker, uint32_t bits) {
  // A child shares the eventfd with its parent, whose loop must not hear of it.
  if (waker->generation != wl_fork_generation()) return 0;
  atomic_fetch_or(&waker->flags, bits);
  // Sequentially consistent like the store and load of prepare_to_sleep: of the two sides, at least one sees
  // what the other wrote. The load spares the exchange while the loop is awake.
  return atomic_load(&waker->sleeping) && atomic_exchange(&waker->sleeping, 0);
}

void wl_waker_write(wl_waker *waker) {
  int saved = errno;
  uint64_t one = 1;
  // It can only be refused when the counter is full, and then it is readable anyway.
  ssize_t written = write(waker->descriptor, &one, sizeof one);
  (void)written;
  errno = saved;
}

void wl_waker_raise(wl_waker *waker, uint32_t bits) {
  if (wl_waker_mark(waker, bits)) wl_waker_write(waker);
}

uint32_t wl_waker_take(wl_waker *waker) {
  if (!atomic_load_explicit(&waker->flags, memory_order_relaxed)) return 0;
  return atomic_exchange(&waker->flags, 0);
}

// Lets the other half of the core have the pipeline meanwhile.
static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

int32_t wl_waker_look(const wl_waker *waker) {
  for (int i = 0; i < 16; i++) {
    if (atomic_load_explicit(&((wl_waker *)waker)->flags, memory_order_acquire)) return 1;
    relax();
  }
  return 0;
}

int32_t wl_waker_prepare_to_sleep(wl_waker *waker) {
  atomic_store(&waker->sleeping, 1);
  if (!atomic_load(&waker->flags)) return 1;
  atomic_store_explicit(&waker->sleeping, 0, memory_order_relaxed);
  return 0;
}

void wl_waker_did_wake(wl_waker *waker) {
  atomic_store_explicit(&waker->sleeping, 0, memory_order_relaxed);
}

int32_t wl_waker_is_sleeping(const wl_waker *waker) {
  return atomic_load_explicit(&((wl_waker *)waker)->sleeping, memory_order_relaxed) != 0;
}

int32_t wl_waker_descriptor(const wl_waker *waker) { return waker->descriptor; }

void wl_waker_drain(wl_waker *waker) {
  uint64_t count;
  ssize_t length = read(waker->descriptor, &count, sizeof count);
  (void)length;
}

void wl_waker_block(wl_waker *waker) {
  struct pollfd polled = {.fd = waker->descriptor, .events = POLLIN};
  // A write may belong to flags that were taken before: only untaken flags end the sleep.
  while (wl_waker_prepare_to_sleep(waker)) {
    if (poll(&polled, 1, -1) > 0) wl_waker_drain(waker);
    wl_waker_did_wake(waker);
  }
}
