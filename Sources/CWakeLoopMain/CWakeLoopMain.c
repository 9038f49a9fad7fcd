#include "CWakeLoopMain.h"

#include "wl_main_executor.h"

// Before main, so before any task exists. It only sets variables: Swift is first called when it asks for the
// executor.
__attribute__((constructor)) static void install(void) {
  (void)wl_main_executor_install(wakeloop_main_provide_executor, wakeloop_main_drive);
}
