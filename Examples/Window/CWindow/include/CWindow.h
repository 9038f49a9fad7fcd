#ifndef CWINDOW_H
#define CWINDOW_H

#include <stdint.h>

// One X11 window over XCB. The names of XCB that Swift can't take in, such as incomplete types, stay behind it.

typedef struct window window;

/// What has happened to a window.
typedef enum window_event_kind {
  window_event_none,
  /// The display has refreshed, as was asked for with window_request_refresh.
  window_event_refresh,
  /// The window became visible, or invisible.
  window_event_shown,
  window_event_hidden,
  /// It was resized.
  window_event_resized,
  /// The user wants it closed.
  window_event_close,
  /// A key was pressed.
  window_event_key,
  /// The server is gone.
  window_event_lost
} window_event_kind;

typedef struct window_event {
  window_event_kind kind;
  /// Of a refresh: nanoseconds of CLOCK_MONOTONIC, and the number of the refresh.
  int64_t instant;
  uint64_t refresh;
  /// Of a key: the key's symbol, such as its letter's code.
  uint32_t key;
} window_event;

/// Opens a window on the display of the environment, or returns null.
window *window_open(const char *title, uint16_t width, uint16_t height);

/// Closes it and lets go of the connection.
void window_close(window *window);

/// The connection's descriptor.
int window_descriptor(const window *window);

/// The window's number on the server.
uint32_t window_number(const window *window);

/// Its size in pixels.
uint16_t window_width(const window *window);
uint16_t window_height(const window *window);

/// Whether the server tells of refreshes, by the Present extension.
int window_tells_refreshes(const window *window);

/// The display's refresh rate in hertz as the RandR extension says, 0 if it does not.
double window_refresh_rate(const window *window);

/// Asks to be told of the next refresh that is still to come.
void window_request_refresh(window *window);

/// Sends what waits to be sent, and tells whether events have been read already that nobody has taken.
///
/// XCB reads ahead: such events are in its own queue while the descriptor is not readable.
int window_has_pending(window *window);

/// Takes the next event.
window_event window_next_event(window *window);

/// Fills a rectangle or an ellipse of the picture with a colour, 0xRRGGBB.
void window_fill_rectangle(window *window, uint32_t color, int16_t x, int16_t y, uint16_t width, uint16_t height);
void window_fill_ellipse(window *window, uint32_t color, int16_t x, int16_t y, uint16_t width, uint16_t height);

/// Shows the picture in the window.
void window_show(window *window);

/// Sends the window what a window manager sends when the user closes it.
void window_ask_to_close(window *window);

#endif
