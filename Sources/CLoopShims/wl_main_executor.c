#include "wl_main_executor.h"

#include <stdatomic.h>
#include <stddef.h>

// The one file that knows how Swift's runtime lets its main executor be replaced: variables that it calls
// through, with its own calling convention. Weak, so that a runtime without them still links.

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL wl_executor (*get_original)(void);
typedef SWIFT_CALL wl_executor (*get_hook)(get_original original);
typedef SWIFT_CALL _Bool (*is_original)(wl_executor executor);
typedef SWIFT_CALL _Bool (*is_hook)(wl_executor executor, is_original original);
typedef SWIFT_CALL void (*drain_original)(void);
typedef SWIFT_CALL void (*drain_override)(drain_original original);
typedef SWIFT_CALL void (*drain_hook)(drain_original original, drain_override override);

extern get_hook swift_task_getMainExecutor_hook __attribute__((weak));
extern is_hook swift_task_isMainExecutor_hook __attribute__((weak));
extern drain_hook swift_task_asyncMainDrainQueue_hook __attribute__((weak));

static _Atomic(int32_t) state;
static wl_executor_provider provide;
static void (*drive)(void);
static wl_executor executor;
static _Atomic(int32_t) is_provided;

// Main-actor code may begin on any thread. Two that come at once are given the same object twice.
static wl_executor main_executor(void) {
  if (!atomic_load_explicit(&is_provided, memory_order_acquire)) {
    wl_executor provided;
    provide(&provided);
    int32_t nobody = 0;
    if (atomic_compare_exchange_strong(&is_provided, &nobody, 1)) {
      executor = provided;
      atomic_store_explicit(&is_provided, 2, memory_order_release);
    }
    return provided;
  }
  while (atomic_load_explicit(&is_provided, memory_order_acquire) != 2) {
  }
  return executor;
}

static SWIFT_CALL wl_executor get_main_executor(get_original original) {
  (void)original;
  return main_executor();
}

static SWIFT_CALL _Bool is_main_executor(wl_executor asked, is_original original) {
  if (asked.identity == main_executor().identity) return 1;
  return original(asked);
}

static SWIFT_CALL void drain(drain_original original, drain_override override) {
  (void)original;
  (void)override;
  drive();
  __builtin_trap();
}

int32_t wl_main_executor_install(wl_executor_provider provider, void (*driver)(void)) {
  int32_t before = wl_main_executor_absent;
  // One thread installs: the constructor's or the main one's. Claimed all the same, so that two can't mix.
  if (!atomic_compare_exchange_strong(&state, &before, wl_main_executor_unsupported)) return before;
  if (!&swift_task_getMainExecutor_hook || !&swift_task_isMainExecutor_hook ||
      !&swift_task_asyncMainDrainQueue_hook)
    return wl_main_executor_unsupported;
  provide = provider;
  drive = driver;
  swift_task_isMainExecutor_hook = is_main_executor;
  swift_task_getMainExecutor_hook = get_main_executor;
  swift_task_asyncMainDrainQueue_hook = drain;
  atomic_store(&state, wl_main_executor_installed);
  return wl_main_executor_installed;
}

int32_t wl_main_executor_state(void) { return atomic_load(&state); }

void wl_main_executor_remove(void) {
  if (atomic_load(&state) != wl_main_executor_installed) return;
  swift_task_getMainExecutor_hook = NULL;
  swift_task_isMainExecutor_hook = NULL;
  swift_task_asyncMainDrainQueue_hook = NULL;
  atomic_store(&state, wl_main_executor_unsupported);
}
