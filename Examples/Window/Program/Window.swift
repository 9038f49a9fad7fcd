import CWindow
import WakeLoop

/// An X11 window whose connection is a source of a loop and whose refreshes drive a frame clock.
final class Window {
  /// Says when the display refreshes; where the server does not tell, an even grid at the display's rate.
  let clock: FrameClock
  /// Whether the server tells of refreshes.
  let tellsRefreshes: Bool
  /// Called when the user wants the window closed, or the server is gone.
  var onClose: () -> Void = {}
  /// Called with each key that is pressed.
  var onKey: (Character) -> Void = { _ in }

  private let handle: OpaquePointer
  private var source: Loop.DescriptorSource?

  /// Opens a window; nil if there is no display.
  init?(title: String, width: UInt16, height: UInt16) {
    guard let handle = window_open(title, width, height) else { return nil }
    self.handle = handle
    let rate = window_refresh_rate(handle)
    let usual = (1.0...1_000).contains(rate) ? rate : 60
    tellsRefreshes = window_tells_refreshes(handle) != 0
    clock =
      tellsRefreshes
      ? .external(refresh: .seconds(1) / usual) { window_request_refresh(handle) } : .grid(hz: usual)
  }

  /// Watches the connection.
  func add(to loop: Loop) throws {
    let source = Loop.DescriptorSource(
      descriptor: window_descriptor(handle),
      // Before each wait what was drawn is sent, and what the library has read ahead is asked for.
      isPending: { [handle] in window_has_pending(handle) != 0 },
      handler: { [unowned self] _, _ in handleEvents() })
    try loop.add(source, forMode: .common)
    self.source = source
  }

  /// Closes the window.
  func close() {
    source?.invalidate()
    window_close(handle)
  }

  private func handleEvents() {
    while true {
      let event = window_next_event(handle)
      switch event.kind {
      case window_event_none: return
      case window_event_refresh: clock.tick(at: Loop.Instant(nanoseconds: event.instant))
      case window_event_key:
        if let scalar = Unicode.Scalar(event.key) { onKey(Character(scalar)) }
      case window_event_close: onClose()
      case window_event_lost:
        // A broken connection is readable for ever.
        source?.invalidate()
        return onClose()
      default: break
      }
    }
  }

  // MARK: Drawing

  var width: Int { Int(window_width(handle)) }
  var height: Int { Int(window_height(handle)) }

  func fillRectangle(_ color: UInt32, x: Int, y: Int, width: Int, height: Int) {
    window_fill_rectangle(
      handle, color, Int16(clamping: x), Int16(clamping: y), UInt16(clamping: width), UInt16(clamping: height)
    )
  }

  func fillCircle(_ color: UInt32, x: Int, y: Int, diameter: Int) {
    let size = UInt16(clamping: diameter)
    window_fill_ellipse(handle, color, Int16(clamping: x), Int16(clamping: y), size, size)
  }

  /// Shows what was drawn.
  func show() { window_show(handle) }

  /// Does what a window manager does when the user closes the window.
  func askToClose() { window_ask_to_close(handle) }
}
