#ifndef GLIB_CALLS_H
#define GLIB_CALLS_H

#include "GLibContext.h"

// Some of GLib's calls, for programs that do without its headers. A null context is the default one; the numbers that
// are returned are for glib_remove.

/// Returns 0 in order not to be called again.
typedef int (*glib_handler)(void *data);
/// What is told has poll(2)'s bits.
typedef int (*glib_descriptor_handler)(int descriptor, int events, void *data);

GMainContext *glib_main_context_new(void);
void glib_main_context_unref(GMainContext *context);

/// Has a handler called every so many milliseconds.
uint32_t glib_call_every(GMainContext *context, uint32_t milliseconds, glib_handler handler, void *data);

/// Has a handler called in the next iteration; any thread.
uint32_t glib_call_soon(GMainContext *context, glib_handler handler, void *data);

/// Has a handler called when nothing more important is to be done.
uint32_t glib_call_when_idle(GMainContext *context, glib_handler handler, void *data);

/// Has a handler called while a descriptor is ready for any of the events, which have poll(2)'s bits.
uint32_t glib_watch(
    GMainContext *context, int descriptor, int events, glib_descriptor_handler handler, void *data);

void glib_remove(GMainContext *context, uint32_t number);

/// Has GLib make one iteration by itself; returns whether anything was called.
int glib_iterate(GMainContext *context, int may_wait);

/// Has GLib run by itself until glib_quit is called with the same loop.
typedef struct _GMainLoop GMainLoop;
GMainLoop *glib_main_loop_new(GMainContext *context);
void glib_run(GMainLoop *loop);
void glib_quit(GMainLoop *loop);
void glib_main_loop_unref(GMainLoop *loop);

#endif
