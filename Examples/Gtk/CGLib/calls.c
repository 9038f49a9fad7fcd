#include "GLibCalls.h"

#include <glib-unix.h>
#include <glib.h>

static uint32_t attach(
    GMainContext *context, GSource *source, int priority, GSourceFunc handler, void *data) {
  g_source_set_priority(source, priority);
  g_source_set_callback(source, handler, data, NULL);
  uint32_t number = g_source_attach(source, context);
  g_source_unref(source);
  return number;
}

GMainContext *glib_main_context_new(void) { return g_main_context_new(); }

void glib_main_context_unref(GMainContext *context) { g_main_context_unref(context); }

uint32_t glib_call_every(GMainContext *context, uint32_t milliseconds, glib_handler handler, void *data) {
  return attach(context, g_timeout_source_new(milliseconds), G_PRIORITY_DEFAULT, handler, data);
}

uint32_t glib_call_soon(GMainContext *context, glib_handler handler, void *data) {
  return attach(context, g_idle_source_new(), G_PRIORITY_DEFAULT, handler, data);
}

uint32_t glib_call_when_idle(GMainContext *context, glib_handler handler, void *data) {
  return attach(context, g_idle_source_new(), G_PRIORITY_DEFAULT_IDLE, handler, data);
}

typedef struct descriptor_call {
  glib_descriptor_handler handler;
  void *data;
} descriptor_call;

static gboolean call_for_descriptor(int descriptor, GIOCondition condition, void *data) {
  descriptor_call *call = data;
  return call->handler(descriptor, (int)condition, call->data);
}

uint32_t glib_watch(
    GMainContext *context, int descriptor, int events, glib_descriptor_handler handler, void *data) {
  descriptor_call *call = g_new(descriptor_call, 1);
  *call = (descriptor_call){handler, data};
  GSource *source = g_unix_fd_source_new(descriptor, (GIOCondition)events);
  g_source_set_callback(source, G_SOURCE_FUNC(call_for_descriptor), call, g_free);
  uint32_t number = g_source_attach(source, context);
  g_source_unref(source);
  return number;
}

void glib_remove(GMainContext *context, uint32_t number) {
  GSource *source = g_main_context_find_source_by_id(context, number);
  if (source) g_source_destroy(source);
}

int glib_iterate(GMainContext *context, int may_wait) {
  return g_main_context_iteration(context, may_wait);
}

GMainLoop *glib_main_loop_new(GMainContext *context) { return g_main_loop_new(context, FALSE); }

void glib_run(GMainLoop *loop) { g_main_loop_run(loop); }

void glib_quit(GMainLoop *loop) { g_main_loop_quit(loop); }

void glib_main_loop_unref(GMainLoop *loop) { g_main_loop_unref(loop); }
