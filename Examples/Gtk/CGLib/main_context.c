#include "GLibContext.h"

#include "poll_set.h"

#include <errno.h>
#include <glib.h>
#include <poll.h>

struct glib_context {
  GMainContext *context;
  /// What the context asked for last, as g_main_context_check wants it back.
  GPollFD *descriptors;
  int count;
  int capacity;
  int priority;
  poll_set set;
  /// Sees who asks the context's sources.
  GSource *witness;
  gboolean is_asking;
  /// Whether somebody else has had the context go on since it was asked here.
  gboolean is_outdated;
};

typedef struct witness {
  GSource source;
  glib_context *context;
} witness;

static gboolean witness_prepare(GSource *source, int *timeout) {
  *timeout = -1;
  glib_context *context = ((witness *)source)->context;
  if (!context->is_asking) context->is_outdated = TRUE;
  return FALSE;
}

static GSourceFuncs witness_functions = {.prepare = witness_prepare};

static GSource *add_witness(glib_context *context) {
  GSource *source = g_source_new(&witness_functions, sizeof(witness));
  ((witness *)source)->context = context;
  // GLib asks nobody of a lesser priority than one that is ready.
  g_source_set_priority(source, G_MININT);
  g_source_attach(source, context->context);
  return source;
}

int glib_context_acquire(GMainContext *context, glib_context **result) {
  if (!context) context = g_main_context_default();
  // Held for good: only a context that has an owner is woken when another thread attaches a source to it.
  if (!g_main_context_acquire(context)) return EBUSY;
  poll_set set;
  int code = poll_set_open(&set);
  if (code != 0) {
    g_main_context_release(context);
    return code;
  }
  *result = g_new0(glib_context, 1);
  (*result)->context = g_main_context_ref(context);
  (*result)->set = set;
  (*result)->witness = add_witness(*result);
  return 0;
}

void glib_context_release(glib_context *context) {
  g_source_destroy(context->witness);
  g_source_unref(context->witness);
  poll_set_close(&context->set);
  g_main_context_release(context->context);
  g_main_context_unref(context->context);
  g_free(context->descriptors);
  g_free(context);
}

int glib_context_descriptor(const glib_context *context) { return context->set.epoll; }

/// Asks the context's sources; returns their timeout.
static int ask(glib_context *context) {
  int timeout;
  context->is_asking = TRUE;
  g_main_context_prepare(context->context, &context->priority);
  context->is_asking = FALSE;
  context->is_outdated = FALSE;
  while (1) {
    context->count = g_main_context_query(
        context->context, context->priority, &timeout, context->descriptors, context->capacity);
    if (context->count <= context->capacity) return timeout;
    context->capacity = context->count;
    context->descriptors = g_renew(GPollFD, context->descriptors, context->capacity);
  }
}

glib_wait glib_context_prepare(glib_context *context) {
  glib_wait wait = {.timeout = ask(context)};
  wait.needs_renewal = poll_set_update(&context->set, context->descriptors, (guint)context->count);
  if (context->set.refused > 0) wait.timeout = 0;
  return wait;
}

int glib_context_renew_descriptor(glib_context *context) { return poll_set_renew(&context->set); }

int glib_context_check(glib_context *context) {
  // GLib has been running by itself, as under a modal dialog: what it found ready then is its own to call, and a check
  // that does not follow a question would be about both.
  if (context->is_outdated) ask(context);
  for (int i = 0; i < context->count; i++) context->descriptors[i].revents = 0;
  poll((struct pollfd *)context->descriptors, (nfds_t)context->count, 0);
  return g_main_context_check(
      context->context, context->priority, context->descriptors, context->count);
}

void glib_context_dispatch(glib_context *context) { g_main_context_dispatch(context->context); }
