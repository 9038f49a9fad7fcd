#ifndef CGTK_H
#define CGTK_H

#include <stdint.h>

// One GTK window: a line of text, a picture with a ball in it, and two buttons. GTK's headers, which Swift can't take in
// as they are, stay behind it.

typedef struct demo_window demo_window;

/// What a window tells, each on the thread of GTK's main context.
typedef struct demo_handlers {
  void *data;
  /// A button was pressed; they are counted from 0.
  void (*pressed)(void *data, int button);
  /// The picture has been painted.
  void (*painted)(void *data);
  /// The user has closed the window, which is gone.
  void (*closed)(void *data);
} demo_handlers;

/// Opens a window, or returns null if there is no display.
demo_window *demo_window_open(const char *title, const char *first_button, const char *second_button, demo_handlers handlers);

/// Gives back the memory of a window, and closes it if it is open.
void demo_window_free(demo_window *window);

/// Shows a line of text.
void demo_window_set_text(demo_window *window, const char *text);

/// Moves the ball's middle, in fractions of the picture's size, and has the picture painted again.
void demo_window_move_ball(demo_window *window, double x, double y);

/// Presses a button, as the user does.
void demo_window_press(demo_window *window, int button);

/// Does what a window manager does when the user closes the window.
void demo_window_ask_to_close(demo_window *window);

/// Asks a question in a dialog that is modal: returns, when it was answered, whether with yes.
///
/// GTK runs its main context by itself meanwhile.
int demo_window_ask(demo_window *window, const char *question);

/// Answers the question that is asked.
void demo_window_answer(demo_window *window, int is_yes);

#endif
