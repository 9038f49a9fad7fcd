#ifndef WL_THREAD_SETTINGS_H
#define WL_THREAD_SETTINGS_H

#include <stdint.h>

// All are about the calling thread, and return 0 or an errno value where nothing else is said.

// Cut to the 15 bytes that the kernel keeps.
int32_t wl_thread_set_name(const char *name);
enum { wl_policy_normal, wl_policy_batch, wl_policy_idle, wl_policy_fifo, wl_policy_round_robin };
// `priority` counts for the real-time policies only.
int32_t wl_thread_set_policy(int32_t policy, int32_t priority);
int32_t wl_thread_set_nice(int32_t nice);
// By how many nanoseconds the kernel may be late when it wakes the thread by a timeout; 0 is its default.
int32_t wl_thread_set_timer_slack(uint64_t nanoseconds);
// On how many processors the kernel may run it; at least 1.
int32_t wl_thread_processor_count(void);

#endif
