import CGLib
import Glibc
public import WakeLoop

/// Lets a main context of GLib's live in a loop: what it waits for the loop waits for, and its handlers are called in
/// the loop's passes.
///
/// GTK and all that is built upon GLib then share a thread, and the now of each pass, with the loop's timers, its
/// sources and main-actor tasks. In each pass the context's sources say before the wait how long to wait, and for what
/// (`g_main_context_prepare` and `_query`); after it they look what has come (`_check`). What is ready is called in the
/// sources' part of the pass (`_dispatch`), so after main-actor jobs and timers, and before frames.
///
/// - The descriptors are one source of the loop, an epoll set. Reusing a number for another file, which a source for
///   each would miss, is noticed there; `G_IO_PRI` is had; and a descriptor that was hung up is told again for as long
///   as it is asked for, as GLib expects. What exactly is ready is asked by one `poll(2)` without waiting, since that
///   fills GLib's own array, with `POLLNVAL` and regular files as well.
/// - The context's timeout is a timer of the loop. Nothing is called to no purpose while nothing is due.
/// - The context is owned by the thread for as long as it is hosted, so a source that another thread attaches wakes the
///   loop through the context's own wake-up descriptor.
/// - A run nested in one of GLib's handlers goes on serving the context. GLib itself sees to it that no source of its own
///   is called while it is on the stack.
///
/// What code on this thread attaches to the context is seen by the wait that follows, except from the question
/// `isPending` of a source, which is asked later. The host lives in the loop until it is invalidated: dropping the
/// reference changes nothing.
public final class GLibHost {
  /// Why a context can't be hosted.
  public enum Refusal: Error {
    /// It belongs to another thread, which drives it.
    case ownedByAnotherThread
    /// The system has no descriptor left for it; the value is errno.
    case noDescriptor(code: Int32)
    /// The loop can't watch its descriptors.
    case notWatched(Loop.SystemError)
  }

  private let loop: Loop
  private let mode: Loop.Mode
  private var context: OpaquePointer?
  private var observers: [Loop.Observer] = []
  private var descriptors: Loop.DescriptorSource?
  /// Repeats, so that it can be set anew for each wait; the interval means nothing.
  private var timeout: Loop.Timer?
  private var hasTimeout = false
  /// One for each depth of GLib handlers that run the loop: an item that is on the stack is not called again.
  private var dispatchers: [Loop.UserSource] = []
  private var dispatchDepth = 0
  /// Calls into GLib that are on the stack.
  private var callDepth = 0
  /// Whether the context was asked what it waits for, and not yet what has come.
  private var isPrepared = false
  private var isInvalidated = false

  /// Hosts a context in a loop.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - context: A `GMainContext`; nil is the default one, which is GTK's.
  ///   - loop: The loop of this thread.
  ///   - mode: Where the context is served.
  /// - Throws: That another thread owns the context, or what the system refuses.
  public init(context: OpaquePointer? = nil, in loop: Loop, mode: Loop.Mode = .common) throws(Refusal) {
    var acquired: OpaquePointer?
    let code = glib_context_acquire(context, &acquired)
    if code == EBUSY { throw .ownedByAnotherThread }
    if code != 0 { throw .noDescriptor(code: code) }
    self.context = acquired
    self.loop = loop
    self.mode = mode
    do throws(Loop.SystemError) { try watchDescriptors() } catch { throw .notWatched(error) }
    // Last before the wait and first after it, so that other observers come before the questions and after the answers.
    let before = Loop.Observer(activities: .beforeWaiting, order: .max) { _, _ in self.prepare() }
    let after = Loop.Observer(activities: .afterWaiting, order: .min) { _, _ in self.check() }
    observers = [before, after]
    for observer in observers { loop.add(observer, forMode: mode) }
    let timer = loop.schedule(every: .seconds(Int64.max), in: mode) { _ in }
    timer.keepsLoopAlive = false
    timeout = timer
  }

  deinit {
    if let context { glib_context_release(context) }
  }

  /// Lets go of the context, which then belongs to nobody.
  ///
  /// Called from one of GLib's handlers, it does so after that. Loop's thread only.
  public func invalidate() {
    if isInvalidated { return }
    isInvalidated = true
    for observer in observers { observer.invalidate() }
    for dispatcher in dispatchers { dispatcher.invalidate() }
    descriptors?.invalidate()
    timeout?.invalidate()
    releaseIfUnused()
  }

  private func releaseIfUnused() {
    guard isInvalidated, callDepth == 0, let context else { return }
    glib_context_release(context)
    self.context = nil
  }

  /// Calls into GLib, which may call handlers that do anything.
  private func callGLib<T>(_ body: (OpaquePointer) -> T) -> T? {
    guard let context else { return nil }
    callDepth += 1
    defer {
      callDepth -= 1
      releaseIfUnused()
    }
    return body(context)
  }

  // MARK: The pass

  private func prepare() {
    guard let wait = callGLib(glib_context_prepare), !isInvalidated else { return }
    isPrepared = true
    if wait.needs_renewal != 0 { renewDescriptors() }
    switch wait.timeout {
    case 0: currentDispatcher().signal()
    case 1...:
      hasTimeout = true
      timeout?.restart(after: .milliseconds(wait.timeout))
      return
    default: break
    }
    if hasTimeout {
      hasTimeout = false
      timeout?.restart(after: .seconds(Int64.max))
    }
  }

  private func check() {
    // A nested run of an observer may have asked already.
    if !isPrepared { return }
    isPrepared = false
    guard let isReady = callGLib(glib_context_check), isReady != 0, !isInvalidated else { return }
    currentDispatcher().signal()
  }

  private func dispatch() {
    dispatchDepth += 1
    defer { dispatchDepth -= 1 }
    callGLib(glib_context_dispatch)
  }

  private func currentDispatcher() -> Loop.UserSource {
    if dispatchDepth < dispatchers.count { return dispatchers[dispatchDepth] }
    let dispatcher = Loop.UserSource { self.dispatch() }
    dispatcher.keepsLoopAlive = false
    loop.add(dispatcher, forMode: mode)
    dispatchers.append(dispatcher)
    return dispatcher
  }

  // MARK: Descriptors

  private func watchDescriptors() throws(Loop.SystemError) {
    guard let context else { return }
    // That it was ready has woken the loop: what is ready is found out by the check.
    let source = Loop.DescriptorSource(descriptor: glib_context_descriptor(context)) { _, _ in }
    try loop.add(source, forMode: mode)
    descriptors = source
  }

  /// Begins a new set, since the old one may go on reporting a file that is no longer asked for.
  private func renewDescriptors() {
    guard let context else { return }
    descriptors?.invalidate()
    // Out of descriptors, the old set serves on: at worst the loop is woken to no purpose.
    _ = glib_context_renew_descriptor(context)
    do throws(Loop.SystemError) {
      try watchDescriptors()
    } catch {
      preconditionFailure("the descriptors of a GLib main context can't be watched any more: \(error)")
    }
  }
}
