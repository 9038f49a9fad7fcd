#define _GNU_SOURCE
#include "wl_signal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wl_fork.h"

// Watches are never freed, only used again for the same signal: a handler may walk the list at any time.
struct wl_signal_watch {
  // Written before the watch is in the list, and constant then.
  wl_signal_watch *next;
  int signal;
  // Handlers that may be using the watch right now.
  atomic_uint inside;
  atomic_uint active;
  atomic_uint pending;
  // The place of the first of those that are pending among all arrivals. Not written while something is pending.
  atomic_uint_fast64_t first;
  // Written while not active.
  wl_waker *waker;
  uint32_t bits;
  uint32_t generation;
  // Guarded by the lock: someone holds the watch.
  int held;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(wl_signal_watch *) watches[NSIG];
// Guarded by the lock.
static uint32_t watch_counts[NSIG];
// Guarded by the lock, but read without it in a forked child, where nobody can hold it.
static struct sigaction saved[NSIG];
static atomic_uint installed[NSIG];
static atomic_uint_fast64_t arrivals;

static void handle(int signal) {
  uint32_t generation = wl_fork_generation();
  wl_signal_watch *watch = atomic_load_explicit(&watches[signal], memory_order_acquire);
  for (; watch; watch = watch->next) {
    // Announced before `active` is read, and in one order with the end that clears `active` and then looks here.
    atomic_fetch_add(&watch->inside, 1);
    if (atomic_load(&watch->active) && watch->generation == generation) {
      if (!atomic_load(&watch->pending)) atomic_store(&watch->first, atomic_fetch_add(&arrivals, 1));
      atomic_fetch_add(&watch->pending, 1);
      wl_waker_raise(watch->waker, watch->bits);
    }
    atomic_fetch_sub(&watch->inside, 1);
  }
}

static int is_ours(const struct sigaction *action) {
  return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == handle;
}

int32_t wl_signal_can_be_watched(int32_t signal) {
  // Those between the named ones and SIGRTMIN are the C library's own. A fault comes again as soon as its
  // handler has returned.
  return signal > 0 && signal < NSIG && (signal < 32 || signal >= SIGRTMIN) && signal != SIGKILL && signal != SIGSTOP && signal != SIGSEGV &&
         signal != SIGBUS && signal != SIGFPE && signal != SIGILL;
}

static int install(int signal) {
  struct sigaction ours = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK}, before;
  sigemptyset(&ours.sa_mask);
  if (sigaction(signal, NULL, &before) != 0) return errno;
  if (is_ours(&before)) return 0;
  // In this order a child forked at any point finds either nothing of ours or what to put in its place.
  saved[signal] = before;
  atomic_store(&installed[signal], 1);
  return sigaction(signal, &ours, NULL) == 0 ? 0 : errno;
}

// Counts what was sent to the process and no thread has taken yet: it came while the signal was watched, and is not for
// the disposition before, which may end the process.
static void take_untaken(int signal) {
  struct sigaction now;
  if (!atomic_load(&installed[signal]) || sigaction(signal, NULL, &now) != 0 || !is_ours(&now)) return;
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, signal);
  if (pthread_sigmask(SIG_BLOCK, &only, &before) != 0) return;
  const struct timespec no_wait = {0};
  // As many as are queued now; a real-time signal that is sent without end must not hold this up for ever.
  for (int left = 1 << 16; left > 0 && sigtimedwait(&only, NULL, &no_wait) == signal; left--) handle(signal);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void restore(int signal) {
  struct sigaction now;
  if (atomic_load(&installed[signal]) && sigaction(signal, NULL, &now) == 0 && is_ours(&now))
    sigaction(signal, &saved[signal], NULL);
  atomic_store(&installed[signal], 0);
}

wl_signal_watch *wl_signal_watch_begin(int32_t signal, wl_waker *waker, uint32_t bits, int32_t *error) {
  *error = EINVAL;
  if (!wl_signal_can_be_watched(signal)) return NULL;
  pthread_mutex_lock(&lock);
  wl_signal_watch *watch = atomic_load(&watches[signal]);
  while (watch && (watch->held || atomic_load(&watch->inside))) watch = watch->next;
  int fresh = !watch;
  if (fresh) watch = calloc(1, sizeof *watch);
  *error = watch ? install(signal) : ENOMEM;
  if (*error) {
    if (fresh) free(watch);
    pthread_mutex_unlock(&lock);
    return NULL;
  }
  wl_waker_retain(waker);
  watch->signal = signal;
  watch->waker = waker;
  watch->bits = bits;
  watch->generation = wl_fork_generation();
  watch->held = 1;
  atomic_store(&watch->pending, 0);
  atomic_store(&watch->active, 1);
  if (fresh) {
    watch->next = atomic_load(&watches[signal]);
    atomic_store_explicit(&watches[signal], watch, memory_order_release);
  }
  watch_counts[signal]++;
  pthread_mutex_unlock(&lock);
  return watch;
}

uint32_t wl_signal_watch_take(wl_signal_watch *watch) {
  if (!atomic_load_explicit(&watch->pending, memory_order_relaxed)) return 0;
  return atomic_exchange(&watch->pending, 0);
}

uint32_t wl_signal_watch_take_first(wl_signal_watch *watch, uint64_t *first) {
  if (!atomic_load(&watch->pending)) return 0;
  // Before the count is taken: from then on the next arrival may write another.
  *first = atomic_load(&watch->first);
  return atomic_exchange(&watch->pending, 0);
}

uint32_t wl_signal_watch_end(wl_signal_watch *watch) {
  int inherited = watch->generation != wl_fork_generation();
  pthread_mutex_lock(&lock);
  if (!inherited && watch_counts[watch->signal] == 1) take_untaken(watch->signal);
  atomic_store(&watch->active, 0);
  // A child's dispositions and counts were put right when it was forked.
  if (!inherited && --watch_counts[watch->signal] == 0) restore(watch->signal);
  pthread_mutex_unlock(&lock);
  // Handlers are a few instructions long. One that ran in the parent at the fork never ends in the child.
  while (!inherited && atomic_load(&watch->inside)) sched_yield();
  uint32_t left = atomic_exchange(&watch->pending, 0);
  wl_waker *waker = watch->waker;
  pthread_mutex_lock(&lock);
  watch->held = 0;
  pthread_mutex_unlock(&lock);
  wl_waker_release(waker);
  return left;
}

void wl_signals_forget_in_child(void) {
  // Its holder, if any, was a thread that the child does not have.
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (int signal = 1; signal < NSIG; signal++) {
    restore(signal);
    watch_counts[signal] = 0;
  }
}

const char *wl_signal_name(int32_t signal, char *buffer) {
  if (signal >= SIGRTMIN && signal <= SIGRTMAX) {
    if (signal == SIGRTMIN) return "SIGRTMIN";
    snprintf(buffer, 32, "SIGRTMIN+%d", signal - SIGRTMIN);
    return buffer;
  }
  const char *name = signal > 0 ? sigabbrev_np(signal) : NULL;
  if (!name) return NULL;
  snprintf(buffer, 32, "SIG%s", name);
  return buffer;
}
