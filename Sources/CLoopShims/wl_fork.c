#include "wl_fork.h"

#include <pthread.h>

#include "wl_signal.h"
#include "wl_thread.h"

uint32_t wl_fork_generation_storage;

static void child(void) {
  __atomic_fetch_add(&wl_fork_generation_storage, 1, __ATOMIC_RELAXED);
  wl_thread_forget_ids_in_child();
  wl_signals_forget_in_child();
}

__attribute__((constructor)) static void install(void) { pthread_atfork(0, 0, child); }
