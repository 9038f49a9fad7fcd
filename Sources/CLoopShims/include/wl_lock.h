#ifndef WL_LOCK_H
#define WL_LOCK_H

// A pthread mutex: what the thread sanitizer understands.
typedef struct wl_lock wl_lock;

wl_lock *wl_lock_create(void);
void wl_lock_free(wl_lock *lock);
void wl_lock_acquire(wl_lock *lock);
void wl_lock_release(wl_lock *lock);

#endif
