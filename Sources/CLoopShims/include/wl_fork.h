#ifndef WL_FORK_H
#define WL_FORK_H

#include <stdint.h>

// Written by the child of a fork alone, before fork returns in it. Read it with wl_fork_generation.
extern uint32_t wl_fork_generation_storage;

// How many forks lie between this process and the first one.
static inline uint32_t wl_fork_generation(void) {
  return __atomic_load_n(&wl_fork_generation_storage, __ATOMIC_RELAXED);
}

#endif
