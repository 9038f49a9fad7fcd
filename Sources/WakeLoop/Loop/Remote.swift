import LoopCore
import LoopPlatform

extension Loop {
  /// A loop's handle for other threads.
  ///
  /// It may be kept and sent anywhere, outlives its loop and then refuses: what it is given is destroyed before
  /// the call returns, and the call says so.
  public struct Remote: Sendable {
    let mailbox: Mailbox

    /// Has the loop call a block in one of its next passes, in the common modes.
    ///
    /// Any thread. Blocks of one thread run in the order of posting. While the loop is awake this makes no system
    /// call. On the loop's own thread it is the loop's own perform.
    /// - Returns: False if the loop has ended; the block is destroyed already.
    @discardableResult
    public func perform(_ block: @escaping @Sendable () -> Void) -> Bool {
      if let loop = mailbox.loopOfThisThread { return loop.post(block, modes: nil) }
      return mailbox.post(block, modes: nil)
    }

    /// Has the loop call a block once, in whichever of the modes it runs first.
    ///
    /// Any thread; see `perform(_:)`.
    /// - Returns: False if the loop has ended; the block is destroyed already.
    @discardableResult
    public func perform(inModes modes: [Mode], block: @escaping @Sendable () -> Void) -> Bool {
      if let loop = mailbox.loopOfThisThread { return loop.post(block, modes: modes) }
      return mailbox.post(block, modes: modes)
    }

    /// Stops the run that is innermost when the loop next looks; outside a run, the next one.
    ///
    /// Any thread, and from a signal handler: it takes no lock and allocates nothing.
    public func stop() { mailbox.waker.raise(.stop) }

    /// Has the loop go through a pass without waiting.
    ///
    /// Any thread, and from a signal handler: it takes no lock and allocates nothing. Outside a run it makes
    /// the first wait of the next run a poll.
    public func wakeUp() { mailbox.waker.raise(.wake) }

    /// Whether the loop sleeps in its wait at this moment, as `CFRunLoopIsWaiting`.
    ///
    /// Any thread.
    public var isWaiting: Bool { mailbox.waker.isSleeping }

    /// Whether the loop has ended and accepts nothing any more.
    ///
    /// Any thread.
    public var hasEnded: Bool { mailbox.hasEnded }
  }

  /// The main loop's handle for other threads; what it is given runs on the main actor.
  ///
  /// It works from the start of the process: what comes before the main loop runs is kept for it.
  public struct MainRemote: Sendable {
    let remote: Remote

    /// Has the main loop call a block in one of its next passes, in the common modes.
    ///
    /// Any thread.
    /// - Returns: False if the main loop has ended; the block is destroyed already.
    @discardableResult
    public func perform(_ block: @escaping @MainActor @Sendable () -> Void) -> Bool {
      remote.perform(onMain(block))
    }

    /// Has the main loop call a block once, in whichever of the modes it runs first.
    ///
    /// Any thread.
    /// - Returns: False if the main loop has ended; the block is destroyed already.
    @discardableResult
    public func perform(inModes modes: [Mode], block: @escaping @MainActor @Sendable () -> Void) -> Bool {
      remote.perform(inModes: modes, block: onMain(block))
    }

    /// Stops the run that is innermost when the main loop next looks; outside a run, the next one.
    ///
    /// Any thread, and from a signal handler.
    public func stop() { remote.stop() }

    /// Has the main loop go through a pass without waiting.
    ///
    /// Any thread, and from a signal handler.
    public func wakeUp() { remote.wakeUp() }

    /// Whether the main loop sleeps in its wait at this moment.
    ///
    /// Any thread.
    public var isWaiting: Bool { remote.isWaiting }

    /// Whether the main loop has ended and accepts nothing any more.
    ///
    /// Any thread.
    public var hasEnded: Bool { remote.hasEnded }

    private func onMain(_ block: @escaping @MainActor @Sendable () -> Void) -> @Sendable () -> Void {
      // The main loop calls its posts on the main thread only, which is where the main actor is.
      { MainActor.assumeIsolated(block) }
    }
  }

  /// The loop's handle for other threads.
  ///
  /// Loop's thread only; the handle itself goes anywhere.
  public var remote: Remote {
    checkThread()
    return Remote(mailbox: mailbox)
  }

  /// The main loop's handle, from any thread and from the start of the process.
  public nonisolated static var mainRemote: MainRemote {
    MainRemote(remote: Remote(mailbox: .main))
  }
}

extension Mailbox {
  /// The loop that this mailbox belongs to, if that runs on this thread or is the thread's own.
  @inline(__always)
  var loopOfThisThread: Loop? {
    if let loop = Loop.running, loop.mailbox === self { return loop }
    if let loop = Loop.existing, loop.mailbox === self { return loop }
    return nil
  }
}
