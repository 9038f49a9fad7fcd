#define _GNU_SOURCE
#include "wl_thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Thread_local wl_thread_state state = {.wake_date = __builtin_nan("")};
static _Atomic(int32_t) process_id;

wl_thread_state *wl_thread(void) { return &state; }

int32_t wl_thread_id(void) {
  if (!state.thread_id) state.thread_id = gettid();
  return state.thread_id;
}

int32_t wl_thread_is_main(void) {
  int32_t process = atomic_load_explicit(&process_id, memory_order_relaxed);
  if (!process) {
    process = getpid();
    atomic_store_explicit(&process_id, process, memory_order_relaxed);
  }
  return wl_thread_id() == process;
}

void wl_thread_forget_ids_in_child(void) {
  state.thread_id = 0;
  atomic_store_explicit(&process_id, 0, memory_order_relaxed);
}

static pthread_key_t exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static _Atomic(uintptr_t) exit_callback;

// Thread-local memory is still there while keys are destroyed. A loop made meanwhile sets the key again, and
// the C library then comes round again, PTHREAD_DESTRUCTOR_ITERATIONS times at most.
static void thread_exits(void *own_loop) {
  void (*callback)(void *) = (void (*)(void *))atomic_load(&exit_callback);
  if (callback) callback(own_loop);
  if (state.own_loop == own_loop) state.own_loop = NULL;
}

static void create_exit_key(void) {
  if (pthread_key_create(&exit_key, thread_exits) != 0) abort();
}

void wl_thread_on_exit(void (*callback)(void *own_loop)) {
  atomic_store(&exit_callback, (uintptr_t)callback);
}

void wl_thread_set_own_loop(void *own_loop) {
  pthread_once(&exit_once, create_exit_key);
  state.own_loop = own_loop;
  pthread_setspecific(exit_key, own_loop);
}
