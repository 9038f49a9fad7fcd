#ifndef POLL_SET_H
#define POLL_SET_H

#include <glib.h>

/// The descriptors that a context waits for, in an epoll set of their own.
typedef struct poll_set {
  int epoll;
  /// Sorted by descriptor, each of them once.
  struct poll_entry *entries;
  guint count;
  /// Entries that epoll does not take: regular files, which are always ready, and numbers that are not open. poll(2)
  /// returns at once for either.
  guint refused;
} poll_set;

/// Makes an empty set; returns 0, or errno.
int poll_set_open(poll_set *set);

void poll_set_close(poll_set *set);

/// Makes the set hold these; returns whether it has to be renewed.
///
/// A file that was closed leaves an epoll set by itself, unless a duplicate of it is open elsewhere: then the set goes
/// on reporting it under a number that may be another file's by now, and nothing but a new set gets rid of it.
gboolean poll_set_update(poll_set *set, const GPollFD *descriptors, guint count);

/// Begins a new set, under another descriptor, with the same contents; returns 0, or errno and the set as it was.
int poll_set_renew(poll_set *set);

#endif
