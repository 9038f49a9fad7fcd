#include "wl_main_queue.h"

#include <unistd.h>

// Exported by libdispatch for run loops.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

int32_t wl_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void wl_main_queue_clear(int32_t descriptor) {
  uint64_t count;
  ssize_t length = read(descriptor, &count, sizeof count);
  (void)length;
}

void wl_main_queue_drain(void) { _dispatch_main_queue_callback_4CF(0); }
