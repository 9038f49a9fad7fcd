#include "CBenchPeers.h"
#include "support.h"
#include <unistd.h>

static void never(int descriptor, short what, void *context) {
  (void)descriptor, (void)what, (void)context;
  require(false, "a timer an hour ahead fired");
}

// MARK: - Changing pending timers

struct changes {
  struct event_base *base;
  struct event **timers;
  struct event turn;
  uint64_t random;
  int pending;
  int left;
  bool renews;
};

static void change_some(int descriptor, short what, void *context) {
  (void)descriptor, (void)what;
  struct changes *changes = context;
  int count = changes->left < 10000 ? changes->left : 10000;
  for (int operation = 0; operation < count; operation++) {
    struct event **timer = &changes->timers[random_below(&changes->random, (uint64_t)changes->pending)];
    struct timeval delay = random_delay(&changes->random);
    event_del(*timer);
    if (changes->renews) {
      free(*timer);
      *timer = malloc(sizeof **timer);
      event_assign(*timer, changes->base, -1, 0, never, NULL);
    }
    event_add(*timer, &delay);
  }
  changes->left -= count;
  if (changes->left > 0) {
    struct timeval soon = {0, 0};
    event_add(&changes->turn, &soon);
  } else {
    event_base_loopbreak(changes->base);
  }
}

double peer_change_timers(int pending, int operations, bool renews) {
  struct changes changes = {.random = 1, .pending = pending, .left = operations, .renews = renews};
  changes.base = new_base();
  changes.timers = malloc(sizeof *changes.timers * (size_t)pending);
  // Timers that are never renewed lie in one array, kind to caches.
  struct event *array = renews ? NULL : calloc((size_t)pending, sizeof *array);
  for (int index = 0; index < pending; index++) {
    struct event *timer = renews ? malloc(sizeof *timer) : &array[index];
    struct timeval delay = random_delay(&changes.random);
    event_assign(timer, changes.base, -1, 0, never, NULL);
    event_add(timer, &delay);
    changes.timers[index] = timer;
  }
  event_assign(&changes.turn, changes.base, -1, 0, change_some, &changes);
  struct timeval soon = {0, 0};
  event_add(&changes.turn, &soon);
  double start = now_nanoseconds();
  event_base_dispatch(changes.base);
  double end = now_nanoseconds();
  require(changes.left == 0, "not all operations were done");
  for (int index = 0; index < pending; index++) {
    require(event_pending(changes.timers[index], EV_TIMEOUT, NULL), "a changed timer is not pending");
  }
  return (end - start) / operations;
}

// MARK: - Many due at once

struct due {
  struct event_base *base;
  long fired;
  long count;
  double end;
};

struct due_timer {
  struct event event;
  struct due *due;
};

static void fire(int descriptor, short what, void *context) {
  (void)descriptor, (void)what;
  struct due_timer *timer = context;
  struct due *due = timer->due;
  due->fired += 1;
  if (due->fired == due->count) {
    due->end = now_nanoseconds();
    event_base_loopbreak(due->base);
  }
}

double peer_due_timers(int count, double *scheduling) {
  struct due due = {.count = count};
  due.base = new_base();
  struct due_timer *timers = calloc((size_t)count, sizeof *timers);
  uint64_t random = 1;
  // Far enough ahead that all are scheduled before the first is due.
  const uint64_t ahead = 100000u + (uint64_t)count * 4u;
  double start = now_nanoseconds();
  double passed = 0;
  for (int index = 0; index < count; index++) {
    struct due_timer *timer = &timers[index];
    // Delays count from now; reading the clock for some of them only keeps that out of what is measured.
    if (index % 64 == 0) { passed = (now_nanoseconds() - start) / 1e3; }
    uint64_t at = ahead + random_below(&random, 5000u);
    uint64_t delay = at - (uint64_t)passed;
    struct timeval delay_value = {(time_t)(delay / 1000000u), (suseconds_t)(delay % 1000000u)};
    timer->due = &due;
    event_assign(&timer->event, due.base, -1, 0, fire, timer);
    event_add(&timer->event, &delay_value);
  }
  double scheduled = now_nanoseconds();
  require((scheduled - start) / 1e3 < (double)ahead, "a timer was due before all were scheduled");
  usleep((useconds_t)((double)ahead + 6000.0 - (scheduled - start) / 1e3));
  double begin = now_nanoseconds();
  event_base_dispatch(due.base);
  require(due.fired == count, "not all due timers fired");
  *scheduling = (scheduled - start) / count;
  return (due.end - begin) / count;
}

// MARK: - A chain of calls, one poll between

struct chain {
  struct event_base *base;
  struct event event;
  long left;
};

static void call_next(int descriptor, short what, void *context) {
  (void)descriptor, (void)what;
  struct chain *chain = context;
  chain->left -= 1;
  if (chain->left > 0) {
    struct timeval soon = {0, 0};
    event_add(&chain->event, &soon);
  } else {
    event_base_loopbreak(chain->base);
  }
}

double peer_poll_chain(long calls, int pending) {
  struct chain chain = {.left = calls};
  chain.base = new_base();
  uint64_t random = 1;
  for (int index = 0; index < pending; index++) {
    struct event *timer = event_new(chain.base, -1, 0, never, NULL);
    struct timeval delay = random_delay(&random);
    event_add(timer, &delay);
  }
  event_assign(&chain.event, chain.base, -1, 0, call_next, &chain);
  struct timeval soon = {0, 0};
  event_add(&chain.event, &soon);
  double start = now_nanoseconds();
  event_base_dispatch(chain.base);
  double end = now_nanoseconds();
  require(chain.left == 0, "the chain ended early");
  return (end - start) / (double)calls;
}

// MARK: - Memory

static double resident_bytes(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  require(file && fscanf(file, "%ld %ld", &total, &resident) == 2, "no /proc/self/statm");
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

double peer_timer_memory(int pending) {
  struct event_base *base = new_base();
  uint64_t random = 1;
  double before = resident_bytes();
  for (int index = 0; index < pending; index++) {
    struct event *timer = malloc(sizeof *timer);
    struct timeval delay = random_delay(&random);
    event_assign(timer, base, -1, 0, never, NULL);
    event_add(timer, &delay);
  }
  double after = resident_bytes();
  require(event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED) >= pending, "not all timers are pending");
  return (after - before) / pending;
}
