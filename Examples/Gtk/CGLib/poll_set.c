#include "poll_set.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

// epoll and poll(2) have the same bits for what GLib asks for, and GLib has taken over poll's.
_Static_assert(
    (int)EPOLLIN == (int)G_IO_IN && (int)EPOLLOUT == (int)G_IO_OUT && (int)EPOLLPRI == (int)G_IO_PRI,
    "GLib's conditions are epoll's");

typedef struct poll_entry {
  int descriptor;
  gushort events;
  gboolean is_refused;
} poll_entry;

static int control(const poll_set *set, int operation, const poll_entry *entry) {
  struct epoll_event event = {.events = entry->events, .data.fd = entry->descriptor};
  return epoll_ctl(set->epoll, operation, entry->descriptor, &event) == 0 ? 0 : errno;
}

static void add(poll_set *set, poll_entry *entry) {
  int code = control(set, EPOLL_CTL_ADD, entry);
  if (code == EEXIST) code = control(set, EPOLL_CTL_MOD, entry);
  entry->is_refused = code != 0;
  if (code != 0) set->refused++;
}

int poll_set_open(poll_set *set) {
  *set = (poll_set){.epoll = epoll_create1(EPOLL_CLOEXEC)};
  return set->epoll >= 0 ? 0 : errno;
}

void poll_set_close(poll_set *set) {
  close(set->epoll);
  g_free(set->entries);
}

static int compare(const void *left, const void *right) {
  const poll_entry *a = left, *b = right;
  return (a->descriptor > b->descriptor) - (a->descriptor < b->descriptor);
}

/// The descriptors sorted, those that are asked for twice made one.
static guint sort(const GPollFD *descriptors, guint count, poll_entry *sorted) {
  for (guint i = 0; i < count; i++)
    sorted[i] = (poll_entry){.descriptor = descriptors[i].fd, .events = descriptors[i].events};
  qsort(sorted, count, sizeof *sorted, compare);
  guint kept = 0;
  for (guint i = 0; i < count; i++) {
    // poll(2) passes over negative numbers.
    if (sorted[i].descriptor < 0) continue;
    if (kept > 0 && sorted[kept - 1].descriptor == sorted[i].descriptor)
      sorted[kept - 1].events |= sorted[i].events;
    else
      sorted[kept++] = sorted[i];
  }
  return kept;
}

gboolean poll_set_update(poll_set *set, const GPollFD *descriptors, guint count) {
  gboolean is_stale = FALSE;
  poll_entry *wanted = g_new(poll_entry, count + 1);
  count = sort(descriptors, count, wanted);
  set->refused = 0;
  guint before = 0, now = 0;
  while (before < set->count || now < count) {
    const poll_entry *old = before < set->count ? &set->entries[before] : NULL;
    poll_entry *new = now < count ? &wanted[now] : NULL;
    if (!new || (old && old->descriptor < new->descriptor)) {
      if (!old->is_refused && control(set, EPOLL_CTL_DEL, old) != 0) is_stale = TRUE;
      before++;
    } else if (!old || new->descriptor < old->descriptor || old->is_refused) {
      if (old && old->descriptor == new->descriptor) before++;
      add(set, new);
      now++;
    } else {
      // Each time, even if nothing is to be changed: it is how the kernel tells that the number was closed since, and
      // perhaps is another file's. A comparison of numbers would miss that, and with it all that the new one reports.
      if (control(set, EPOLL_CTL_MOD, new) != 0) {
        is_stale = TRUE;
        add(set, new);
      }
      before++;
      now++;
    }
  }
  g_free(set->entries);
  set->entries = wanted;
  set->count = count;
  return is_stale;
}

int poll_set_renew(poll_set *set) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return errno;
  close(set->epoll);
  set->epoll = epoll;
  set->refused = 0;
  for (guint i = 0; i < set->count; i++) add(set, &set->entries[i]);
  return 0;
}
