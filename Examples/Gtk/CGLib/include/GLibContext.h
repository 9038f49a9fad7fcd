#ifndef GLIB_CONTEXT_H
#define GLIB_CONTEXT_H

#include <stdint.h>

// One GLib main context, driven from outside step by step. GLib's own headers stay behind it, since Swift can't take in
// all of them.

/// A main context of GLib's, as it calls it itself.
typedef struct _GMainContext GMainContext;

/// A main context that this thread owns and drives.
typedef struct glib_context glib_context;

/// What the context wants to be waited for.
typedef struct glib_wait {
  /// Milliseconds, rounded up, after which something is due; 0 for now, -1 for never.
  int timeout;
  /// Whether the descriptor set has to be renewed before the wait.
  int needs_renewal;
} glib_wait;

/// Takes ownership of a context, of the default one if null; returns 0, EBUSY if another thread owns it, or why it has no
/// descriptor.
int glib_context_acquire(GMainContext *context, glib_context **result);

/// Gives the ownership back and closes the descriptor set.
void glib_context_release(glib_context *context);

/// An epoll descriptor, readable while a descriptor of the context's is ready.
int glib_context_descriptor(const glib_context *context);

/// Asks the sources of the context what they wait for, and brings the descriptor set up to date.
glib_wait glib_context_prepare(glib_context *context);

/// Closes the descriptor set and makes another, with another descriptor; returns 0, or errno if there is none to be had.
int glib_context_renew_descriptor(glib_context *context);

/// Looks, without waiting, what is ready of that which was asked for; returns whether there is something to dispatch.
int glib_context_check(glib_context *context);

/// Calls the handlers of what is ready.
void glib_context_dispatch(glib_context *context);

#endif
