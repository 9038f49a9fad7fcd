#define _GNU_SOURCE
#include "wl_base.h"

#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// How many events libevent asks epoll for at first, and at most; it doubles whenever a batch was full.
#define FIRST_BATCH 32u
#define LAST_BATCH 4096u

typedef struct {
  wl_base *base;
  uintptr_t token;
  // Not 0: one of the loop's own descriptors.
  uint32_t internal_bit;
  // Which of the two events is in use: a change adds the other one before it deletes this one, which spares
  // libevent the DEL and ADD of a plain delete and add.
  uint32_t current;
  // What the kernel said when the rebuilt set would not have it; reported as ready until the watch ends.
  int refused;
  int is_socket;
  short what;
  int descriptor;
  struct event events[2];
} registration;

struct wl_base {
  struct event_base *events;
  int poll_descriptor;
  // An empty epoll set in reserve, so that a rebuild works in a process that has no descriptor left; or -1.
  int spare_descriptor;
  // A file may still be reported by a number that we no longer watch: rebuild before asking again.
  int stale;
  // How often the epoll set has been rebuilt: each time, the file behind its number is another one.
  uint32_t generation;
  uint32_t batch_capacity;
  uint32_t callbacks;
  uint32_t internal;
  // By descriptor.
  registration **registrations;
  uint32_t table_size;
  uint32_t registered;
  uint32_t refused;
  // Has room for one entry a registration, so that callbacks never allocate.
  wl_ready *ready;
  uint32_t ready_count;
  uint32_t ready_capacity;
};

static uint32_t epoll_mask(short what) {
  return (what & EV_READ ? EPOLLIN : 0) | (what & EV_WRITE ? EPOLLOUT : 0) |
         (what & EV_CLOSED ? EPOLLRDHUP : 0) | (what & EV_ET ? EPOLLET : 0);
}

// The same mask and data as libevent gives, so that either may change what the other has added.
static int control(int poll_descriptor, int operation, int descriptor, short what) {
  struct epoll_event event = {0};
  event.events = epoll_mask(what);
  event.data.fd = descriptor;
  return epoll_ctl(poll_descriptor, operation, descriptor, &event) == 0 ? 0 : errno;
}

static void append(evutil_socket_t descriptor, short what, void *argument) {
  (void)descriptor;
  registration *watched = argument;
  wl_base *base = watched->base;
  base->callbacks++;
  if (watched->internal_bit) {
    base->internal |= watched->internal_bit;
    return;
  }
  base->ready[base->ready_count++] = (wl_ready){
      .token = watched->token,
      .readiness = (what & EV_READ ? WL_READ : 0) | (what & EV_WRITE ? WL_WRITE : 0) |
                   (what & EV_CLOSED ? WL_CLOSED : 0),
  };
}

// MARK: - Making and freeing

static void ignore(evutil_socket_t descriptor, short what, void *argument) {
  (void)descriptor, (void)what, (void)argument;
}

static int lowest_free_descriptor(void) {
  int lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (lowest < 0) lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (lowest >= 0) close(lowest);
  return lowest;
}

// libevent keeps its epoll descriptor to itself. It is the only one that knows a descriptor that nothing but
// this base watches; no other set, and no other file, lets that one be modified.
static int find_poll_descriptor(struct event_base *events, int guess) {
  int mark = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (mark < 0) return -1;
  int found = -1, error = ENOTSUP;
  struct event event;
  event_assign(&event, events, mark, EV_READ | EV_PERSIST, ignore, NULL);
  if (event_add(&event, NULL) == 0) {
    if (guess >= 0 && control(guess, EPOLL_CTL_MOD, mark, EV_READ) == 0) found = guess;
    struct rlimit limit;
    // Numbers are given out from below, so that the search ends long before the limit.
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (1 << 24) ? (int)limit.rlim_cur : 1 << 24;
    for (int number = 0; found < 0 && number < end; number++)
      if (control(number, EPOLL_CTL_MOD, mark, EV_READ) == 0) found = number;
    event_del(&event);
  }
  close(mark);
  if (found < 0) errno = error;
  return found;
}

static struct event_base *create_event_base(void) {
  struct event_config *config = event_config_new();
  if (!config) return NULL;
  // The environment could choose another method or a changelist, which would make the kernel's answers late.
  event_config_set_flag(
      config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_NO_CACHE_TIME | EVENT_BASE_FLAG_IGNORE_ENV);
  event_config_avoid_method(config, "poll");
  event_config_avoid_method(config, "select");
  struct event_base *events = event_base_new_with_config(config);
  event_config_free(config);
  return events;
}

wl_base *wl_base_create(int32_t *error) {
  *error = ENOMEM;
  wl_base *base = calloc(1, sizeof *base);
  if (!base) return NULL;
  // Made first: libevent writes to standard error when it can't make its epoll set, so that a process without
  // descriptors had better be refused here.
  base->spare_descriptor = epoll_create1(EPOLL_CLOEXEC);
  if (base->spare_descriptor < 0) {
    *error = errno;
    free(base);
    return NULL;
  }
  int guess = lowest_free_descriptor();
  errno = 0;
  base->events = guess < 0 ? NULL : create_event_base();
  if (!base->events) {
    *error = errno ? errno : EMFILE;
    close(base->spare_descriptor);
    free(base);
    return NULL;
  }
  base->poll_descriptor = find_poll_descriptor(base->events, guess);
  if (base->poll_descriptor < 0) {
    *error = errno;
    event_base_free(base->events);
    close(base->spare_descriptor);
    free(base);
    return NULL;
  }
  base->batch_capacity = FIRST_BATCH;
  *error = 0;
  return base;
}

void wl_base_free(wl_base *base, int32_t in_forked_child) {
  int may_touch = 1;
  if (in_forked_child) {
    // The parent's set must not hear the deletions below: an empty set of the child's own takes its number.
    int own = epoll_create1(EPOLL_CLOEXEC);
    may_touch = own >= 0 && dup3(own, base->poll_descriptor, O_CLOEXEC) >= 0;
    if (own >= 0) close(own);
  }
  for (uint32_t index = 0; index < base->table_size; index++) {
    registration *watched = base->registrations[index];
    if (!watched) continue;
    if (may_touch) {
      event_del(&watched->events[watched->current]);
      free(watched);
    }
  }
  // Without a set of its own the child leaks libevent's memory rather than disturb the parent.
  if (may_touch) event_base_free(base->events);
  else close(base->poll_descriptor);
  if (base->spare_descriptor >= 0) close(base->spare_descriptor);
  free(base->registrations);
  free(base->ready);
  free(base);
}

int32_t wl_base_poll_descriptor(const wl_base *base) { return base->poll_descriptor; }

uint32_t wl_base_generation(const wl_base *base) { return base->generation; }

int32_t wl_base_must_run(const wl_base *base) { return base->stale || base->refused; }

int32_t wl_base_show(const wl_base *base, int32_t mirror) {
  int error = control(mirror, EPOLL_CTL_ADD, base->poll_descriptor, EV_READ);
  return error == EEXIST ? 0 : error;
}

int32_t wl_mirror_create(void) {
  int mirror = epoll_create1(EPOLL_CLOEXEC);
  return mirror < 0 ? -errno : mirror;
}

// MARK: - Watching

static registration *find(const wl_base *base, int32_t descriptor) {
  return descriptor >= 0 && (uint32_t)descriptor < base->table_size ? base->registrations[descriptor] : NULL;
}

static int make_room(wl_base *base, int32_t descriptor) {
  if ((uint32_t)descriptor >= base->table_size) {
    uint32_t size = base->table_size ? base->table_size : 64;
    while (size <= (uint32_t)descriptor) size *= 2;
    registration **table = realloc(base->registrations, size * sizeof *table);
    if (!table) return ENOMEM;
    for (uint32_t index = base->table_size; index < size; index++) table[index] = NULL;
    base->registrations = table;
    base->table_size = size;
  }
  if (base->registered >= base->ready_capacity) {
    uint32_t capacity = base->ready_capacity ? base->ready_capacity * 2 : 64;
    wl_ready *ready = realloc(base->ready, capacity * sizeof *ready);
    if (!ready) return ENOMEM;
    base->ready = ready;
    base->ready_capacity = capacity;
  }
  return 0;
}

static int add(wl_base *base, int32_t descriptor, short what, uint32_t internal_bit, uintptr_t token) {
  // The kernel is asked first, because libevent writes what it is refused to standard error.
  int error = control(base->poll_descriptor, EPOLL_CTL_ADD, descriptor, what);
  if (error == EEXIST) {
    control(base->poll_descriptor, EPOLL_CTL_DEL, descriptor, what);
    error = control(base->poll_descriptor, EPOLL_CTL_ADD, descriptor, what);
  }
  if (error) return error;
  registration *watched = NULL;
  error = make_room(base, descriptor);
  if (!error) {
    watched = calloc(1, sizeof *watched);
    if (!watched) error = ENOMEM;
  }
  if (!error) {
    *watched = (registration){.base = base, .token = token, .internal_bit = internal_bit, .what = what,
                              .descriptor = descriptor};
    event_assign(&watched->events[0], base->events, descriptor, (short)(what | EV_PERSIST), append, watched);
    if (event_add(&watched->events[0], NULL) != 0) error = ENOMEM;
  }
  if (error) {
    control(base->poll_descriptor, EPOLL_CTL_DEL, descriptor, what);
    free(watched);
    return error;
  }
  base->registrations[descriptor] = watched;
  base->registered++;
  return 0;
}

// The peer's closing goes with reading: who has read to the end and goes on writing must not be told of it for
// ever. Never alone and never on a pipe: libevent would spin inside.
static short event_bits(uint32_t interest, int is_socket) {
  short reading = (short)(EV_READ | (is_socket ? EV_CLOSED : 0));
  return (short)((interest & WL_READ ? reading : 0) | (interest & WL_WRITE ? EV_WRITE : 0));
}

int32_t wl_base_watch(wl_base *base, int32_t descriptor, uint32_t interest, uintptr_t token) {
  if (find(base, descriptor)) wl_base_unwatch(base, descriptor);
  struct stat status;
  if (fstat(descriptor, &status) != 0) return errno;
  int is_socket = S_ISSOCK(status.st_mode);
  int error = add(base, descriptor, event_bits(interest, is_socket), 0, token);
  if (!error) base->registrations[descriptor]->is_socket = is_socket;
  return error;
}

int32_t wl_base_watch_internal(wl_base *base, int32_t descriptor, uint32_t bit, int32_t edge_triggered) {
  return add(base, descriptor, (short)(EV_READ | (edge_triggered ? EV_ET : 0)), bit, 0);
}

int32_t wl_base_modify(wl_base *base, int32_t descriptor, uint32_t interest) {
  registration *watched = find(base, descriptor);
  if (!watched) return ENOENT;
  if (watched->refused) return watched->refused;
  short what = event_bits(interest, watched->is_socket);
  int error = control(base->poll_descriptor, EPOLL_CTL_MOD, descriptor, what);
  if (error || what == watched->what) return error;
  struct event *next = &watched->events[watched->current ^ 1];
  event_assign(next, base->events, descriptor, (short)(what | EV_PERSIST), append, watched);
  if (event_add(next, NULL) != 0) {
    control(base->poll_descriptor, EPOLL_CTL_MOD, descriptor, watched->what);
    return ENOMEM;
  }
  event_del(&watched->events[watched->current]);
  watched->current ^= 1;
  watched->what = what;
  return 0;
}

int32_t wl_base_unwatch(wl_base *base, int32_t descriptor) {
  registration *watched = find(base, descriptor);
  if (!watched) return ENOENT;
  int error = watched->refused;
  if (error) {
    base->refused--;
  } else {
    error = control(base->poll_descriptor, EPOLL_CTL_DEL, descriptor, watched->what);
    // A duplicate may keep the file in the set under this number, where nothing can delete it any more.
    if (error) base->stale = 1;
  }
  event_del(&watched->events[watched->current]);
  base->registrations[descriptor] = NULL;
  base->registered--;
  free(watched);
  return error;
}

// MARK: - Running

// Puts a new epoll set behind the number that libevent holds, with what the old set still knew.
static int rebuild(wl_base *base) {
  if (base->spare_descriptor < 0) {
    base->spare_descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (base->spare_descriptor < 0) return errno;
  }
  for (uint32_t index = 0; index < base->table_size; index++) {
    registration *watched = base->registrations[index];
    if (!watched || watched->refused) continue;
    // Asked of the old set first: what it does not know has been closed, though its number may be open again.
    int error = control(base->poll_descriptor, EPOLL_CTL_MOD, watched->descriptor, watched->what);
    if (!error) error = control(base->spare_descriptor, EPOLL_CTL_ADD, watched->descriptor, watched->what);
    if (!error) continue;
    if (watched->internal_bit) return error;
    watched->refused = error;
    base->refused++;
  }
  while (dup3(base->spare_descriptor, base->poll_descriptor, O_CLOEXEC) < 0)
    if (errno != EINTR && errno != EBUSY) return errno;
  close(base->spare_descriptor);
  base->spare_descriptor = epoll_create1(EPOLL_CLOEXEC);
  base->stale = 0;
  base->generation++;
  return 0;
}

static void append_refused(wl_base *base) {
  for (uint32_t index = 0; index < base->table_size; index++) {
    registration *watched = base->registrations[index];
    if (!watched || !watched->refused) continue;
    base->ready[base->ready_count++] = (wl_ready){
        .token = watched->token,
        .readiness = (watched->what & EV_READ ? WL_READ : 0) | (watched->what & EV_WRITE ? WL_WRITE : 0),
    };
  }
}

wl_collected wl_base_run(wl_base *base, int32_t blocking) {
  wl_collected collected = {0};
  base->ready_count = base->callbacks = base->internal = 0;
  if (base->stale && (collected.error = rebuild(base)) != 0) return collected;
  errno = 0;
  // ONCE always: without it, libevent polls until nothing is ready, and level-triggered descriptors stay so.
  int flags = blocking && !base->refused ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK;
  if (event_base_loop(base->events, flags) < 0) {
    collected.error = errno ? errno : EINVAL;
    return collected;
  }
  if (base->callbacks >= base->batch_capacity) {
    collected.batch_full = 1;
    if (base->batch_capacity < LAST_BATCH) base->batch_capacity *= 2;
  }
  if (base->refused) append_refused(base);
  collected.events = base->ready;
  collected.count = base->ready_count;
  collected.internal = base->internal;
  return collected;
}
