#ifndef GLIB_GUEST_SOURCE_H
#define GLIB_GUEST_SOURCE_H

#include "GLibContext.h"

/// A source of a context's that stands for somebody who has one descriptor to poll.
typedef struct _GSource GSource;

typedef struct glib_guest_calls {
  /// Called before each wait; it must not call GLib.
  void (*prepare)(void *data);
  /// Called when the descriptor is readable; returns 0 when it is over and the descriptor is closed.
  int (*serve)(void *data);
} glib_guest_calls;

/// Adds a source to a context, the default one if null, until glib_guest_source_remove is called with it.
///
/// A run of the context's that is nested in `serve` calls it again.
GSource *glib_guest_source_add(
    GMainContext *context, int descriptor, int priority, glib_guest_calls calls, void *data);

/// Takes the source out of its context, from which it may have gone already, and lets go of it.
void glib_guest_source_remove(GSource *source);

#endif
