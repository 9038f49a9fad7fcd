import CGtk

/// The GTK window of the example, with closures for its signals.
///
/// GTK calls them on the main thread, where its main context is hosted.
@MainActor
final class DemoWindow {
  /// Called when a button was pressed; they are counted from 0.
  var onPress: (Int) -> Void = { _ in }
  /// Called after the picture has been painted.
  var onPaint: () -> Void = {}
  /// Called when the window is gone.
  var onClose: () -> Void = {}

  private var handle: OpaquePointer?

  /// Opens a window; nil if there is no display.
  init?(title: String, buttons: (String, String)) {
    let handlers = demo_handlers(
      data: Unmanaged.passUnretained(self).toOpaque(),
      pressed: { data, button in DemoWindow.call(data) { $0.onPress(Int(button)) } },
      painted: { data in DemoWindow.call(data) { $0.onPaint() } },
      closed: { data in DemoWindow.call(data) { $0.onClose() } })
    handle = demo_window_open(title, buttons.0, buttons.1, handlers)
    if handle == nil { return nil }
  }

  private nonisolated static func call(
    _ data: UnsafeMutableRawPointer?, _ body: @MainActor @Sendable (DemoWindow) -> Void
  ) {
    guard let data else { return }
    let window = Unmanaged<DemoWindow>.fromOpaque(data).takeUnretainedValue()
    MainActor.assumeIsolated { body(window) }
  }

  /// Closes the window for good.
  func free() {
    if let handle { demo_window_free(handle) }
    handle = nil
  }

  /// Shows a line of text.
  func setText(_ text: String) {
    if let handle { demo_window_set_text(handle, text) }
  }

  /// Moves the ball's middle, in fractions of the picture's size, and has the picture painted again.
  func moveBall(x: Double, y: Double) {
    if let handle { demo_window_move_ball(handle, x, y) }
  }

  /// Presses a button, as the user does.
  func press(_ button: Int) {
    if let handle { demo_window_press(handle, Int32(button)) }
  }

  /// Does what a window manager does when the user closes the window.
  func askToClose() {
    if let handle { demo_window_ask_to_close(handle) }
  }

  /// Asks a question in a modal dialog, and returns whether it was answered with yes.
  func ask(_ question: String) -> Bool {
    guard let handle else { return false }
    return demo_window_ask(handle, question) != 0
  }

  /// Answers the question that is asked.
  func answer(_ isYes: Bool) {
    if let handle { demo_window_answer(handle, isYes ? 1 : 0) }
  }
}
