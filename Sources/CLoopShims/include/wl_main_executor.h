#ifndef WL_MAIN_EXECUTOR_H
#define WL_MAIN_EXECUTOR_H

#include <stdint.h>

// A serial executor as the runtime passes it on: the object and its conformance.
typedef struct {
  uintptr_t identity;
  uintptr_t implementation;
} wl_executor;

// Writes the executor that is to be the main actor's, a `wl_executor`; called when it is first asked for.
typedef void (*wl_executor_provider)(void *executor);

// How far an installation has come.
enum {
  // Nobody asked.
  wl_main_executor_absent = 0,
  wl_main_executor_installed = 1,
  // Asked for, but this runtime lacks the hooks.
  wl_main_executor_unsupported = 2,
};

// Makes `provider`'s executor the main actor's, and has an async main whose thread is free call `drive`, which
// does not return. Before any task exists. Returns how it stands afterwards; the first to come is the one.
int32_t wl_main_executor_install(wl_executor_provider provider, void (*drive)(void));

int32_t wl_main_executor_state(void);

// Gives the hooks back to the runtime, which then goes on with its own executor.
void wl_main_executor_remove(void);

#endif
