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
};

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
  return 0;
}

void glib_context_release(glib_context *context) {
  poll_set_close(&context->set);
  g_main_context_release(context->context);
  g_main_context_unref(context->context);
  g_free(context->descriptors);
  g_free(context);
}

int glib_context_descriptor(const glib_context *context) { return context->set.epoll; }

glib_wait glib_context_prepare(glib_context *context) {
  glib_wait wait = {0};
  g_main_context_prepare(context->context, &context->priority);
  while (1) {
    context->count = g_main_context_query(
        context->context, context->priority, &wait.timeout, context->descriptors, context->capacity);
    if (context->count <= context->capacity) break;
    context->capacity = context->count;
    context->descriptors = g_renew(GPollFD, context->descriptors, context->capacity);
  }
  wait.needs_renewal = poll_set_update(&context->set, context->descriptors, (guint)context->count);
  if (context->set.refused > 0) wait.timeout = 0;
  return wait;
}

int glib_context_renew_descriptor(glib_context *context) { return poll_set_renew(&context->set); }

int glib_context_check(glib_context *context) {
  for (int i = 0; i < context->count; i++) context->descriptors[i].revents = 0;
  poll((struct pollfd *)context->descriptors, (nfds_t)context->count, 0);
  return g_main_context_check(
      context->context, context->priority, context->descriptors, context->count);
}

void glib_context_dispatch(glib_context *context) { g_main_context_dispatch(context->context); }
