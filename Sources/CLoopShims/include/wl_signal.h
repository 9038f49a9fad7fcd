#ifndef WL_SIGNAL_H
#define WL_SIGNAL_H

#include <stdint.h>

#include "wl_waker.h"

// One watch of one signal by one loop. Any number of them may watch the same signal.
typedef struct wl_signal_watch wl_signal_watch;

// Each arrival raises `bits` on `waker`. NULL with EINVAL in `error` for a signal that can't be watched.
wl_signal_watch *wl_signal_watch_begin(int32_t signal, wl_waker *waker, uint32_t bits, int32_t *error);
// How often the signal came since the last call.
uint32_t wl_signal_watch_take(wl_signal_watch *watch);
// The same; unless it is 0, `first` is the place of the first of them among all arrivals of watched signals. One caller
// at a time.
uint32_t wl_signal_watch_take_first(wl_signal_watch *watch, uint64_t *first);
// Returns when no handler can touch the watch or its waker any more: how often the signal came since the last take.
uint32_t wl_signal_watch_end(wl_signal_watch *watch);

int32_t wl_signal_can_be_watched(int32_t signal);

// "SIGINT" for 2, "SIGRTMIN+1", or NULL for what is no signal. `buffer` has room for 32 characters.
const char *wl_signal_name(int32_t signal, char *buffer);

// For the fork handler alone: gives the signals that the parent watched their dispositions back.
void wl_signals_forget_in_child(void);

#endif
