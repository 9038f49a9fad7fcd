import CGLib
public import WakeLoop

/// Lets a loop live in a main context of GLib's: GLib does the waiting, and calls the loop for a pass when one is due.
///
/// For a program that has to end in `g_main_loop_run`, `gtk_main` or `g_application_run`, or while a handler runs one of
/// these, as a modal dialog does. The loop's timers, sources, tasks and posts are served there in passes of their own,
/// each with one now; GLib's own handlers run between two passes. `GLibHost` is the other way about.
///
/// The loop is one source of the context's, with one descriptor and no timeout: nothing is called to no purpose while
/// nothing is due. A handler of the loop's may have GLib run in turn; the loop is served there by nested passes.
///
/// It is served from its making until the loop is stopped, `end()` is called or the reference is dropped. The thread's
/// that drives the context, and the loop's, only.
public final class GLibGuest {
  /// Called when the loop's run has ended since the loop was stopped: the place to quit GLib's.
  public var onStop: (() -> Void)?

  private let guest: Loop.Guest
  private var source: OpaquePointer?

  /// Begins a run of a loop's in which GLib waits.
  ///
  /// Made in a handler of the loop's, it has to end in that handler.
  /// - Parameters:
  ///   - loop: The loop of this thread; it must not be in virtual time, nor another's guest already.
  ///   - context: The `GMainContext` that waits; nil is the default one, which is GTK's.
  ///   - mode: The mode in which the loop runs.
  ///   - priority: Among GLib's sources, of which those with lower numbers go first; 0 is `G_PRIORITY_DEFAULT`.
  /// - Throws: What the system refuses: a guest needs a descriptor.
  public init(
    _ loop: Loop, in context: OpaquePointer? = nil, mode: Loop.Mode = .default, priority: Int32 = 0
  ) throws(Loop.SystemError) {
    guest = try loop.makeGuest(in: mode)
    precondition(guest.descriptor >= 0, "GLibGuest of a loop in virtual time, which GLib can't wait for")
    let calls = glib_guest_calls(
      prepare: { data in
        guard let data else { return }
        Unmanaged<GLibGuest>.fromOpaque(data).takeUnretainedValue().guest.prepare()
      },
      serve: { data in
        guard let data else { return 0 }
        let guest = Unmanaged<GLibGuest>.fromOpaque(data).takeUnretainedValue()
        // A handler may drop the last reference, and the pass it belongs to has to end first.
        return withExtendedLifetime(guest) { guest.serve() ? 1 : 0 }
      })
    source = glib_guest_source_add(
      context, guest.descriptor, priority, calls, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    // With the source goes the pointer to this object.
    leave()
  }

  /// Whether the loop's run has ended.
  public var isEnded: Bool { guest.isEnded }

  /// Ends the loop's run, without a word to `onStop`; an ended one is let be.
  ///
  /// - Precondition: No handler of the loop's that was called here is on the stack; there, stop the loop.
  public func end() {
    guest.end()
    leave()
  }

  private func serve() -> Bool {
    // It may have ended since GLib has found it ready.
    if guest.isEnded { return false }
    if guest.pass() { return true }
    leave()
    onStop?()
    return false
  }

  private func leave() {
    guard let source else { return }
    self.source = nil
    glib_guest_source_remove(source)
  }
}
