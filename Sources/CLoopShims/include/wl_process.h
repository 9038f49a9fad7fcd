#ifndef WL_PROCESS_H
#define WL_PROCESS_H

#include <stdint.h>

// What waitid tells of a child.
typedef struct {
  // An errno value; 0 is none.
  int32_t error;
  // 0 while it runs; else CLD_EXITED, CLD_KILLED or CLD_DUMPED.
  int32_t code;
  // The exit status or the signal's number.
  int32_t status;
} wl_process_state;

// A descriptor that is readable once the process has ended, or a negative errno value.
int32_t wl_process_open(int32_t pid);
// Asks how the child ended and leaves it to be waited for.
wl_process_state wl_process_peek(int32_t descriptor);
// Asks how the child ended and, if it has, reaps it. Does not wait.
wl_process_state wl_process_reap(int32_t descriptor);

#endif
