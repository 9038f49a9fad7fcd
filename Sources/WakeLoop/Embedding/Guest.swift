import LoopCore

extension Loop {
  /// A loop's run whose waits another loop does, its host: one that polls descriptors, such as GLib's or a game
  /// engine's own.
  ///
  /// The host watches `descriptor`, which becomes readable when something is to be done, be it a timer, a
  /// descriptor, a signal, a child or work from another thread; then it calls `pass()`. One that can't watch a
  /// descriptor waits until `nextDeadline` and comes by then, or oftener.
  ///
  /// The guest is one run of its mode, with one entry and one exit, and each of its passes is as any other, with
  /// one stamp. A pass is only cut at its wait: what comes before it, the `.beforeTimers`, `.beforeSources` and
  /// `.beforeWaiting` observers, is called at the end of the pass before. While the host waits, and in the host's
  /// own handlers, the loop is outside of any run: it may be run there as any loop.
  ///
  /// - The run ends when the loop is stopped or by `end()`; a mode in which nothing is left does not end it.
  /// - A handler of the loop may run the host again, as a modal dialog does. Before each of its waits such a host
  ///   calls `prepare()`, and its passes are nested runs of the loop's.
  /// - Frames are paced as well as the host comes; nothing is spun for.
  ///
  /// Loop's thread only, in everything. Dropping the guest ends its run.
  public final class Guest {
    /// The mode that is run.
    public let mode: Mode

    /// Readable when a pass is due; −1 on a loop in virtual time, and once the run has ended.
    ///
    /// Made for `poll`, `select` and level-triggered `epoll`. It is the loop's: it is neither read nor closed, and
    /// stays the same until the run ends.
    public var descriptor: Int32 { isEnded ? -1 : openDescriptor }

    /// Called when the next deadline has moved ahead of that which the host last learned of, outside of a pass.
    ///
    /// For hosts that wait by deadline. It is called in the middle of what moved the deadline, such as the adding
    /// of a timer, so it should do no more than to set the host's own timer. Instants are of the suspending clock.
    public var onEarlierDeadline: ((Instant) -> Void)? {
      didSet { connect() }
    }

    private let loop: Loop
    private let hosted: HostedRun
    private let openDescriptor: Int32

    init(loop: Loop, mode: Mode, hosted: HostedRun, descriptor: Int32) {
      self.loop = loop
      self.mode = mode
      self.hosted = hosted
      self.openDescriptor = descriptor
    }

    deinit {
      if !isEnded { end() }
    }

    /// Whether the run has ended: by a stop, by `end()` or with its loop.
    public var isEnded: Bool { loop.hosted !== hosted }

    /// When the host has to be back at the latest, on the suspending clock; nil if nothing has a date.
    ///
    /// The present if a pass is due already. What is due by the wall or on the continuous clock is told as things
    /// stand now: the descriptor alone follows the user's setting of the clock, and a wake-up of the machine.
    public var nextDeadline: Instant? {
      loop.checkThread()
      if isEnded || hosted.deadline == .max { return nil }
      return Instant(nanoseconds: hosted.deadline)
    }

    /// How long the host may wait at most, as `poll(2)` wants it: milliseconds, rounded up; 0 if a pass is due
    /// already, −1 if nothing has a date.
    public var pollTimeout: Int32 {
      guard let nextDeadline else { return -1 }
      let ahead = saturatingSubtract(nextDeadline.nanoseconds, loop.backend.now(.suspending))
      if ahead <= 0 { return 0 }
      let (milliseconds, rest) = ahead.quotientAndRemainder(dividingBy: 1_000_000)
      return Int32(clamping: milliseconds + (rest > 0 ? 1 : 0))
    }

    /// Tells the loop that the host is about to wait.
    ///
    /// Between passes it does nothing. It is needed where the host is run by one of the loop's handlers: a nested
    /// pass is due before such a wait.
    public func prepare() {
      loop.checkUsable("prepare()")
      if !isEnded { loop.prepareNested(hosted) }
    }

    /// Goes through one pass without waiting, whether or not anything is due.
    ///
    /// - Returns: False if the loop was stopped: the run has ended then, and the descriptor is closed.
    /// - Precondition: The run has not ended.
    @available(*, noasync, message: "the pass calls the loop's handlers on this thread")
    @discardableResult
    public func pass() -> Bool {
      loop.checkUsable("pass()")
      precondition(!isEnded, "pass() on a guest that has ended")
      return loop.pass(hosted)
    }

    /// Ends the run, with its exit; an ended one is let be.
    ///
    /// - Precondition: No handler of the loop's that was called in a pass of the guest is on the stack.
    public func end() {
      loop.checkThread()
      if !isEnded { loop.endHosted(hosted) }
    }

    private func connect() {
      guard let onEarlierDeadline else {
        hosted.deadlineMoved = nil
        return
      }
      hosted.deadlineMoved = { onEarlierDeadline(Instant(nanoseconds: $0)) }
    }
  }

  /// Begins a run of this loop whose waits another loop does, and calls the observers of its entry.
  ///
  /// Loop's thread only. A guest made in a handler of the loop has to end in that handler, as a nested run would.
  /// - Parameter mode: The mode to run; neither `.common` nor empty.
  /// - Returns: The guest; its run ends with it, so it has to be kept.
  /// - Throws: What the system refuses: a guest needs a descriptor.
  /// - Precondition: The loop has no other guest.
  public func makeGuest(in mode: Mode = .default) throws(SystemError) -> Guest {
    checkUsable("makeGuest(in:)")
    precondition(mode != .common, "a loop can't run in .common, which stands for a set of modes")
    precondition(!mode.rawValue.isEmpty, "a loop can't run in a mode with an empty name")
    precondition(hosted == nil, "makeGuest(in: \(mode)) on a loop that is another host's guest already")
    let record = record(of: mode)
    open(record)
    let descriptor = backend.openHostDescriptor(mode: record.index)
    if descriptor < 0 && descriptor != .min {
      reclaim(record)
      throw .openingHostDescriptor(code: -descriptor)
    }
    let hosted = beginHosted(in: record)
    return Guest(loop: self, mode: mode, hosted: hosted, descriptor: max(descriptor, -1))
  }
}
