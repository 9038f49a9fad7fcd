#ifndef CBENCH_PEERS_H
#define CBENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

// The workloads on libevent alone, as its documentation has one write them. Each checks its own result and
// ends the process with a sentence if it is wrong. Times are nanoseconds for one operation.

// W1, W1n: `pending` timers 1 to 2 h ahead; one operation cancels a random one and schedules it anew, in the
// same struct or (`renews`) in one newly allocated. 10,000 operations in each call of the loop.
double peer_change_timers(int pending, int operations, bool renews);

// W2, W2s: `count` one-shots due within 5 ms, told after all are due. Returns the time of the firing.
double peer_due_timers(int count, double *scheduling);

// W3, W3m: posts from `threads` threads through one array under a mutex, which wakes the loop when it was empty.
double peer_posts(int threads, long posts, bool allocates);

// W4/1, W4/2: two loops on two threads post to each other; both on one processor, or free. Time of a round trip.
double peer_ping_pong(long rounds, bool on_one_processor);

// W5: `active` of `count` descriptors readable, `writes` further writes, each by a reader to the next
// descriptor. Microseconds of a run, the median of 25 after one.
double peer_descriptors(int count, int active, int writes);

// W6: the lateness of a repeating timer against start + k × interval, in microseconds: median and 99th of 100.
void peer_beats(int milliseconds, int count, double *median, double *highest);

// W9: each call schedules the next for the next turn of the loop, with `pending` timers far ahead.
double peer_poll_chain(long calls, int pending);

// W7: growth of resident memory for each of `pending` timers, in bytes, the event struct included.
double peer_timer_memory(int pending);

// Keeps this thread, and those it starts from now on, on the processor that it runs on.
void bench_stay_on_this_processor(void);

#endif
