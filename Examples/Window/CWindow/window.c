#include "CWindow.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/present.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>

struct window {
  xcb_connection_t *connection;
  xcb_screen_t *screen;
  xcb_window_t window;
  xcb_pixmap_t picture;
  xcb_gcontext_t context;
  xcb_atom_t protocols;
  xcb_atom_t delete_window;
  /// The major opcode of the Present extension, 0 if the server has none.
  uint8_t present;
  uint32_t serial;
  uint16_t width;
  uint16_t height;
  double rate;
  /// An event that was found when asked whether there is one.
  xcb_generic_event_t *pending;
};

static xcb_atom_t find_atom(xcb_connection_t *connection, const char *name) {
  xcb_intern_atom_cookie_t cookie = xcb_intern_atom(connection, 0, (uint16_t)strlen(name), name);
  xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(connection, cookie, NULL);
  xcb_atom_t atom = reply ? reply->atom : XCB_ATOM_NONE;
  free(reply);
  return atom;
}

static void find_present(window *window) {
  const xcb_query_extension_reply_t *extension =
      xcb_get_extension_data(window->connection, &xcb_present_id);
  if (!extension || !extension->present) return;
  xcb_present_query_version_cookie_t cookie = xcb_present_query_version(window->connection, 1, 0);
  xcb_present_query_version_reply_t *version =
      xcb_present_query_version_reply(window->connection, cookie, NULL);
  if (!version) return;
  free(version);
  window->present = extension->major_opcode;
  xcb_present_select_input(
      window->connection, xcb_generate_id(window->connection), window->window,
      XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY);
}

/// The rate of the first monitor that is on.
static double find_rate(window *window) {
  const xcb_query_extension_reply_t *extension =
      xcb_get_extension_data(window->connection, &xcb_randr_id);
  if (!extension || !extension->present) return 0;
  xcb_randr_get_screen_resources_current_cookie_t cookie =
      xcb_randr_get_screen_resources_current(window->connection, window->window);
  xcb_randr_get_screen_resources_current_reply_t *resources =
      xcb_randr_get_screen_resources_current_reply(window->connection, cookie, NULL);
  if (!resources) return 0;
  double rate = 0;
  xcb_randr_crtc_t *monitors = xcb_randr_get_screen_resources_current_crtcs(resources);
  xcb_randr_mode_info_t *modes = xcb_randr_get_screen_resources_current_modes(resources);
  for (int i = 0; i < resources->num_crtcs && rate == 0; i++) {
    xcb_randr_get_crtc_info_reply_t *monitor = xcb_randr_get_crtc_info_reply(
        window->connection,
        xcb_randr_get_crtc_info(window->connection, monitors[i], resources->config_timestamp), NULL);
    if (!monitor) continue;
    for (int j = 0; j < resources->num_modes; j++) {
      double size = (double)modes[j].htotal * modes[j].vtotal;
      if (modes[j].id == monitor->mode && size > 0) rate = modes[j].dot_clock / size;
    }
    free(monitor);
  }
  free(resources);
  return rate;
}

static void make_picture(window *window) {
  if (window->picture) xcb_free_pixmap(window->connection, window->picture);
  window->picture = xcb_generate_id(window->connection);
  xcb_create_pixmap(
      window->connection, window->screen->root_depth, window->picture, window->window, window->width,
      window->height);
}

window *window_open(const char *title, uint16_t width, uint16_t height) {
  window *window = calloc(1, sizeof *window);
  if (!window) return NULL;
  window->connection = xcb_connect(NULL, NULL);
  if (xcb_connection_has_error(window->connection)) {
    window_close(window);
    return NULL;
  }
  window->screen = xcb_setup_roots_iterator(xcb_get_setup(window->connection)).data;
  window->width = width;
  window->height = height;
  window->window = xcb_generate_id(window->connection);
  uint32_t values[] = {
      window->screen->black_pixel,
      XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_VISIBILITY_CHANGE};
  xcb_create_window(
      window->connection, window->screen->root_depth, window->window, window->screen->root, 0, 0, width,
      height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, window->screen->root_visual,
      XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
  xcb_change_property(
      window->connection, XCB_PROP_MODE_REPLACE, window->window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
      (uint32_t)strlen(title), title);
  window->protocols = find_atom(window->connection, "WM_PROTOCOLS");
  window->delete_window = find_atom(window->connection, "WM_DELETE_WINDOW");
  xcb_change_property(
      window->connection, XCB_PROP_MODE_REPLACE, window->window, window->protocols, XCB_ATOM_ATOM, 32, 1,
      &window->delete_window);
  window->context = xcb_generate_id(window->connection);
  uint32_t exposures = 0;
  xcb_create_gc(
      window->connection, window->context, window->window, XCB_GC_GRAPHICS_EXPOSURES, &exposures);
  make_picture(window);
  find_present(window);
  window->rate = find_rate(window);
  xcb_map_window(window->connection, window->window);
  xcb_flush(window->connection);
  return window;
}

void window_close(window *window) {
  free(window->pending);
  xcb_disconnect(window->connection);
  free(window);
}

int window_descriptor(const window *window) { return xcb_get_file_descriptor(window->connection); }

uint32_t window_number(const window *window) { return window->window; }

uint16_t window_width(const window *window) { return window->width; }

uint16_t window_height(const window *window) { return window->height; }

int window_tells_refreshes(const window *window) { return window->present != 0; }

double window_refresh_rate(const window *window) { return window->rate; }

void window_request_refresh(window *window) {
  // Target 0, divisor 1, remainder 0 is the next refresh; a refresh by its number may have passed and would then
  // be told at once.
  xcb_present_notify_msc(window->connection, window->window, ++window->serial, 0, 1, 0);
}

int window_has_pending(window *window) {
  xcb_flush(window->connection);
  if (!window->pending) window->pending = xcb_poll_for_queued_event(window->connection);
  return window->pending != NULL || xcb_connection_has_error(window->connection);
}

static window_event read_event(window *window, const xcb_generic_event_t *event) {
  window_event result = {.kind = window_event_none};
  switch (event->response_type & 0x7F) {
    case XCB_GE_GENERIC: {
      const xcb_present_complete_notify_event_t *notice = (const void *)event;
      if (notice->extension == window->present && notice->event_type == XCB_PRESENT_COMPLETE_NOTIFY &&
          notice->kind == XCB_PRESENT_COMPLETE_KIND_NOTIFY_MSC) {
        result.kind = window_event_refresh;
        result.instant = (int64_t)notice->ust * 1000;
        result.refresh = notice->msc;
      }
      break;
    }
    case XCB_VISIBILITY_NOTIFY: {
      const xcb_visibility_notify_event_t *notice = (const void *)event;
      int is_hidden = notice->state == XCB_VISIBILITY_FULLY_OBSCURED;
      result.kind = is_hidden ? window_event_hidden : window_event_shown;
      break;
    }
    case XCB_UNMAP_NOTIFY:
      result.kind = window_event_hidden;
      break;
    case XCB_CONFIGURE_NOTIFY: {
      const xcb_configure_notify_event_t *notice = (const void *)event;
      if (notice->width != window->width || notice->height != window->height) {
        window->width = notice->width;
        window->height = notice->height;
        make_picture(window);
        result.kind = window_event_resized;
      }
      break;
    }
    case XCB_CLIENT_MESSAGE: {
      const xcb_client_message_event_t *message = (const void *)event;
      if (message->data.data32[0] == window->delete_window) result.kind = window_event_close;
      break;
    }
    case XCB_KEY_PRESS: {
      const xcb_key_press_event_t *press = (const void *)event;
      xcb_get_keyboard_mapping_reply_t *mapping = xcb_get_keyboard_mapping_reply(
          window->connection, xcb_get_keyboard_mapping(window->connection, press->detail, 1), NULL);
      if (mapping && xcb_get_keyboard_mapping_keysyms_length(mapping) > 0) {
        result.kind = window_event_key;
        result.key = xcb_get_keyboard_mapping_keysyms(mapping)[0];
      }
      free(mapping);
      break;
    }
    default:
      break;
  }
  return result;
}

window_event window_next_event(window *window) {
  while (1) {
    xcb_generic_event_t *event = window->pending;
    window->pending = NULL;
    if (!event) event = xcb_poll_for_event(window->connection);
    if (!event) {
      int is_lost = xcb_connection_has_error(window->connection);
      return (window_event){.kind = is_lost ? window_event_lost : window_event_none};
    }
    window_event result = read_event(window, event);
    free(event);
    if (result.kind != window_event_none) return result;
  }
}

static void set_color(window *window, uint32_t color) {
  // The usual visual of a screen takes 0xRRGGBB as it is.
  xcb_change_gc(window->connection, window->context, XCB_GC_FOREGROUND, &color);
}

void window_fill_rectangle(
    window *window, uint32_t color, int16_t x, int16_t y, uint16_t width, uint16_t height) {
  xcb_rectangle_t rectangle = {x, y, width, height};
  set_color(window, color);
  xcb_poly_fill_rectangle(window->connection, window->picture, window->context, 1, &rectangle);
}

void window_fill_ellipse(
    window *window, uint32_t color, int16_t x, int16_t y, uint16_t width, uint16_t height) {
  xcb_arc_t arc = {x, y, width, height, 0, 360 << 6};
  set_color(window, color);
  xcb_poly_fill_arc(window->connection, window->picture, window->context, 1, &arc);
}

void window_show(window *window) {
  xcb_copy_area(
      window->connection, window->picture, window->window, window->context, 0, 0, 0, 0, window->width,
      window->height);
}

void window_ask_to_close(window *window) {
  xcb_client_message_event_t message = {
      .response_type = XCB_CLIENT_MESSAGE,
      .format = 32,
      .window = window->window,
      .type = window->protocols,
      .data.data32 = {window->delete_window, XCB_CURRENT_TIME},
  };
  xcb_send_event(window->connection, 0, window->window, XCB_EVENT_MASK_NO_EVENT, (const char *)&message);
}
