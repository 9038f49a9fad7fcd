#include "CGtk.h"

#include <gtk/gtk.h>

struct demo_window {
  demo_handlers handlers;
  /// Null once it was closed.
  GtkWidget *window;
  GtkWidget *label;
  GtkWidget *picture;
  GtkWidget *buttons[2];
  /// The question that is asked, or null.
  GtkWidget *dialog;
  double x;
  double y;
};

static void pressed(GtkButton *button, gpointer data) {
  demo_window *window = data;
  window->handlers.pressed(window->handlers.data, GTK_WIDGET(button) == window->buttons[1]);
}

static void destroyed(GtkWidget *widget, gpointer data) {
  (void)widget;
  demo_window *window = data;
  window->window = NULL;
  window->handlers.closed(window->handlers.data);
}

static gboolean paint(GtkWidget *widget, cairo_t *context, gpointer data) {
  demo_window *window = data;
  double width = gtk_widget_get_allocated_width(widget);
  double height = gtk_widget_get_allocated_height(widget);
  cairo_set_source_rgb(context, 0.06, 0.09, 0.13);
  cairo_paint(context);
  cairo_set_source_rgb(context, 0.95, 0.64, 0.23);
  cairo_arc(context, window->x * width, window->y * height, MIN(width, height) / 10, 0, 2 * G_PI);
  cairo_fill(context);
  window->handlers.painted(window->handlers.data);
  return FALSE;
}

demo_window *demo_window_open(
    const char *title, const char *first_button, const char *second_button, demo_handlers handlers) {
  if (!gtk_init_check(NULL, NULL)) return NULL;
  demo_window *window = g_new0(struct demo_window, 1);
  window->handlers = handlers;
  window->x = window->y = 0.5;
  window->window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  gtk_window_set_title(GTK_WINDOW(window->window), title);
  gtk_window_set_default_size(GTK_WINDOW(window->window), 480, 360);
  g_signal_connect(window->window, "destroy", G_CALLBACK(destroyed), window);

  GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  gtk_container_add(GTK_CONTAINER(window->window), column);
  window->label = gtk_label_new("");
  gtk_box_pack_start(GTK_BOX(column), window->label, FALSE, FALSE, 8);
  window->picture = gtk_drawing_area_new();
  g_signal_connect(window->picture, "draw", G_CALLBACK(paint), window);
  gtk_box_pack_start(GTK_BOX(column), window->picture, TRUE, TRUE, 0);
  const char *titles[] = {first_button, second_button};
  for (int i = 0; i < 2; i++) {
    window->buttons[i] = gtk_button_new_with_label(titles[i]);
    g_signal_connect(window->buttons[i], "clicked", G_CALLBACK(pressed), window);
    gtk_box_pack_start(GTK_BOX(column), window->buttons[i], FALSE, FALSE, 4);
  }
  gtk_widget_show_all(window->window);
  return window;
}

void demo_window_free(demo_window *window) {
  if (window->window) {
    g_signal_handlers_disconnect_by_data(window->window, window);
    gtk_widget_destroy(window->window);
  }
  g_free(window);
}

void demo_window_set_text(demo_window *window, const char *text) {
  if (window->window) gtk_label_set_text(GTK_LABEL(window->label), text);
}

void demo_window_move_ball(demo_window *window, double x, double y) {
  if (!window->window) return;
  window->x = x;
  window->y = y;
  gtk_widget_queue_draw(window->picture);
}

void demo_window_press(demo_window *window, int button) {
  if (window->window) gtk_button_clicked(GTK_BUTTON(window->buttons[button]));
}

void demo_window_ask_to_close(demo_window *window) {
  if (window->window) gtk_window_close(GTK_WINDOW(window->window));
}

int demo_window_ask(demo_window *window, const char *question) {
  if (!window->window) return FALSE;
  GtkWidget *dialog = gtk_message_dialog_new(
      GTK_WINDOW(window->window), GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION, GTK_BUTTONS_YES_NO, "%s",
      question);
  window->dialog = dialog;
  int answer = gtk_dialog_run(GTK_DIALOG(dialog));
  window->dialog = NULL;
  gtk_widget_destroy(dialog);
  return answer == GTK_RESPONSE_YES;
}

void demo_window_answer(demo_window *window, int is_yes) {
  if (!window->dialog) return;
  gtk_dialog_response(GTK_DIALOG(window->dialog), is_yes ? GTK_RESPONSE_YES : GTK_RESPONSE_NO);
}
