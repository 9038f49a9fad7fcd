#include "GLibGuestSource.h"

#include <glib.h>

typedef struct guest_source {
  GSource source;
  glib_guest_calls calls;
  void *data;
  void *descriptor;
} guest_source;

static gboolean prepare(GSource *source, int *timeout) {
  guest_source *guest = (guest_source *)source;
  guest->calls.prepare(guest->data);
  // The descriptor tells of dates as well.
  *timeout = -1;
  return FALSE;
}

static gboolean check(GSource *source) {
  guest_source *guest = (guest_source *)source;
  return g_source_query_unix_fd(source, guest->descriptor) != 0;
}

static gboolean dispatch(GSource *source, GSourceFunc callback, void *callback_data) {
  (void)callback;
  (void)callback_data;
  guest_source *guest = (guest_source *)source;
  return guest->calls.serve(guest->data) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static GSourceFuncs functions = {.prepare = prepare, .check = check, .dispatch = dispatch};

GSource *glib_guest_source_add(
    GMainContext *context, int descriptor, int priority, glib_guest_calls calls, void *data) {
  GSource *source = g_source_new(&functions, sizeof(guest_source));
  guest_source *guest = (guest_source *)source;
  guest->calls = calls;
  guest->data = data;
  guest->descriptor = g_source_add_unix_fd(source, descriptor, G_IO_IN);
  g_source_set_priority(source, priority);
  // A modal dialog in a handler of the guest's: GLib leaves out whoever has not said this while it is on the stack.
  g_source_set_can_recurse(source, TRUE);
  g_source_set_name(source, "WakeLoop");
  g_source_attach(source, context);
  return source;
}

void glib_guest_source_remove(GSource *source) {
  g_source_destroy(source);
  g_source_unref(source);
}
