import CGLib

/// A main context of GLib's with handlers that are closures.
///
/// It is used on one thread, except where a method says otherwise.
// Sendable is unchecked because the pointer never changes and GLib's contexts take sources from any thread.
final class MainContext: @unchecked Sendable {
  let pointer: OpaquePointer

  init() { pointer = glib_main_context_new() }

  deinit { glib_main_context_unref(pointer) }

  /// Holds a handler for as long as its source may call it, which is the test's time.
  private final class Box {
    let body: (Int32) -> Bool
    init(_ body: @escaping (Int32) -> Bool) { self.body = body }

    static func retained(_ body: @escaping (Int32) -> Bool) -> UnsafeMutableRawPointer {
      Unmanaged.passRetained(Box(body)).toOpaque()
    }

    static func call(_ data: UnsafeMutableRawPointer?, _ events: Int32 = 0) -> Int32 {
      guard let data else { return 0 }
      return Unmanaged<Box>.fromOpaque(data).takeUnretainedValue().body(events) ? 1 : 0
    }
  }

  /// Calls a closure every so many milliseconds, as long as it returns true.
  @discardableResult
  func every(_ milliseconds: UInt32, _ body: @escaping () -> Bool) -> UInt32 {
    glib_call_every(pointer, milliseconds, { Box.call($0) }, Box.retained { _ in body() })
  }

  /// Calls a closure in the next iteration; any thread.
  func soon(_ body: @escaping @Sendable () -> Void) {
    let data = Box.retained { _ in
      body()
      return false
    }
    _ = glib_call_soon(pointer, { Box.call($0) }, data)
  }

  /// Calls a closure when nothing more important is to be done, as long as it returns true.
  func whenIdle(_ body: @escaping () -> Bool) {
    _ = glib_call_when_idle(pointer, { Box.call($0) }, Box.retained { _ in body() })
  }

  /// Calls a closure while a descriptor is ready, with poll(2)'s bits, as long as it returns true.
  @discardableResult
  func watch(_ descriptor: Int32, for events: Int32, _ body: @escaping (Int32) -> Bool) -> UInt32 {
    glib_watch(pointer, descriptor, events, { Box.call($2, $1) }, Box.retained(body))
  }

  func remove(_ number: UInt32) { glib_remove(pointer, number) }
}
