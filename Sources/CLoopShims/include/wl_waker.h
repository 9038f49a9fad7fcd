#ifndef WL_WAKER_H
#define WL_WAKER_H

#include <stdint.h>

// What others raise to be seen by a loop: a word of flags, and an eventfd that is written only if the loop
// sleeps. Counted, so that it lives as long as anyone who may raise it.
typedef struct wl_waker wl_waker;

// NULL with an errno value in `error` if the kernel refuses.
wl_waker *wl_waker_create(int32_t *error);
void wl_waker_retain(wl_waker *waker);
void wl_waker_release(wl_waker *waker);

// Any thread, and signal handlers: no lock, no allocation, errno kept. Nothing in a forked child.
void wl_waker_raise(wl_waker *waker, uint32_t bits);
// The two halves of raise, for who holds a lock meanwhile: 1 from mark says that the loop sleeps and that the
// caller has to write.
int32_t wl_waker_mark(wl_waker *waker, uint32_t bits);
void wl_waker_write(wl_waker *waker);

// The rest belongs to the loop's thread.
uint32_t wl_waker_take(wl_waker *waker);
// Looks a few times, without a system call, whether something is raised: 1, or 0 if nothing was.
int32_t wl_waker_look(const wl_waker *waker);
// 1: nothing was raised, and whoever raises from now on writes the eventfd. 0: don't sleep.
int32_t wl_waker_prepare_to_sleep(wl_waker *waker);
void wl_waker_did_wake(wl_waker *waker);
int32_t wl_waker_is_sleeping(const wl_waker *waker);
int32_t wl_waker_descriptor(const wl_waker *waker);
void wl_waker_drain(wl_waker *waker);
// Sleeps until something is raised that has not been taken.
void wl_waker_block(wl_waker *waker);

#endif
