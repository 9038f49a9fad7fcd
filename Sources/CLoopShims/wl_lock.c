#include "wl_lock.h"

#include <pthread.h>
#include <stdlib.h>

struct wl_lock {
  pthread_mutex_t mutex;
};

wl_lock *wl_lock_create(void) {
  wl_lock *lock = malloc(sizeof *lock);
  if (!lock || pthread_mutex_init(&lock->mutex, NULL) != 0) abort();
  return lock;
}

void wl_lock_free(wl_lock *lock) {
  pthread_mutex_destroy(&lock->mutex);
  free(lock);
}

void wl_lock_acquire(wl_lock *lock) { pthread_mutex_lock(&lock->mutex); }

void wl_lock_release(wl_lock *lock) { pthread_mutex_unlock(&lock->mutex); }
