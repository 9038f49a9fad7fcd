import CLoopShims
package import LoopCore

/// Waits with libevent: one base a mode, the loop's eventfd and its deadline timers in each.
///
/// Confined to its loop's thread; only its waker may be used from elsewhere.
package final class LibeventBackend: LoopBackend {
  struct Mode {
    let base: OpaquePointer
    /// The main dispatch queue's descriptor, if the mode serves it.
    let mainQueue: Int32?
  }

  enum Internal {
    // The bits below are those of the deadline timers.
    static let waker: UInt32 = 8
    static let mainQueue: UInt32 = 16
    static let clockSettings: UInt32 = 32
  }

  let waker: Waker
  private let generation = ForkGeneration.current
  // Exempt from the runtime's exclusivity checks, which every wait would pay for several times. The loop's thread alone
  // touches these, and nothing that a change of one calls comes back to it.
  @exclusivity(unchecked) private var modes: [Mode?] = []
  private var openModes = 0
  /// Whether the waker's descriptor may still be readable, which no mode that is opened now is to report.
  @exclusivity(unchecked) private var wakerIsUnread = false
  /// Whether the waker was reported by the last run of a base.
  @exclusivity(unchecked) private var wakerWasReported = false
  @exclusivity(unchecked) private var patience = WakePatience()
  /// Whether another thread can post while this one looks for it; asked when one has woken the loop.
  private lazy var canLook = ThreadSettings.processorCount > 1
  @exclusivity(unchecked) var timers = DeadlineTimers()
  @exclusivity(unchecked) var settings = ClockSettings()
  /// What another loop polls in this one's stead, if one does.
  @exclusivity(unchecked) var mirror: Mirror?

  package init(waker: Waker) {
    self.waker = waker
  }

  deinit {
    close(inForkedChild: isInherited)
  }

  /// The epoll descriptor of an open mode: readable when anything in it is ready.
  package func pollDescriptor(mode: Int) -> Int32 {
    wl_base_poll_descriptor(opened(mode).base)
  }

  // MARK: - Clocks

  package func readClocks() -> ClockReadings { SystemClock.readings() }

  package func now(_ clock: ClockDomain) -> Int64 { SystemClock.now(clock) }

  // MARK: - Modes

  package func openMode(_ mode: Int, servesMainQueue: Bool) -> Int32 {
    precondition(mode >= 0, "a mode has no negative number: \(mode)")
    while modes.count <= mode { modes.append(nil) }
    precondition(modes[mode] == nil, "mode \(mode) is open already")
    // Made here, where a refusal can be told.
    var error = timers.make(.suspending) { watchTimer(.suspending, $0) }
    guard error == 0 else { return error }
    guard let base = wl_base_create(&error) else { return error }
    let mainQueue = servesMainQueue ? MainDispatchQueue.descriptor : nil
    readWaker()
    error = wl_base_watch_internal(base, wl_waker_descriptor(waker.pointer), Internal.waker, 1)
    for (clock, descriptor) in timers.descriptors where error == 0 {
      error = wl_base_watch_internal(base, descriptor, DeadlineTimers.bit(clock), 1)
    }
    if settings.descriptor >= 0, error == 0 {
      error = wl_base_watch_internal(base, settings.descriptor, Internal.clockSettings, 1)
    }
    if let mainQueue, error == 0 {
      error = wl_base_watch_internal(base, mainQueue, Internal.mainQueue, 0)
    }
    guard error == 0 else {
      wl_base_free(base, 0)
      return error
    }
    modes[mode] = Mode(base: base, mainQueue: mainQueue)
    openModes += 1
    return 0
  }

  package func closeMode(_ mode: Int) {
    guard modes.indices.contains(mode), let closing = modes[mode] else {
      preconditionFailure("mode \(mode) is not open")
    }
    wl_base_free(closing.base, isInherited ? 1 : 0)
    modes[mode] = nil
    openModes -= 1
    if mirror?.mode == mode { mirror?.shown = nil }
  }

  /// Whether this is a forked child, whose epoll sets are its parent's.
  private var isInherited: Bool { ForkGeneration.current != generation }

  func opened(_ mode: Int) -> Mode {
    precondition(!isInherited, "a forked child can't use the loop of its parent; make one of its own")
    guard modes.indices.contains(mode), let opened = modes[mode] else {
      preconditionFailure("mode \(mode) is not open")
    }
    return opened
  }

  func watchTimer(_ clock: ClockDomain, _ descriptor: Int32) -> Int32 {
    watchInternally(descriptor, bit: DeadlineTimers.bit(clock))
  }

  /// Watches a descriptor of the loop's own in every mode there is, or in none; the errno value of a refusal.
  func watchInternally(_ descriptor: Int32, bit: UInt32) -> Int32 {
    var error: Int32 = 0
    for case let mode? in modes where error == 0 {
      error = wl_base_watch_internal(mode.base, descriptor, bit, 1)
    }
    guard error != 0 else { return 0 }
    // Those that have it must not keep a number that is about to be closed; those without it answer ENOENT.
    for case let mode? in modes { _ = wl_base_unwatch(mode.base, descriptor) }
    return error
  }

  // MARK: - Watching

  package func check(_ descriptor: Int32) -> Int32 { wl_descriptor_check(descriptor) }

  package func watch(mode: Int, descriptor: Int32, interest: Readiness, token: UInt) -> Int32 {
    assertInterest(interest)
    return wl_base_watch(opened(mode).base, descriptor, interest.rawValue, token)
  }

  package func modify(mode: Int, descriptor: Int32, interest: Readiness) -> Int32 {
    assertInterest(interest)
    return wl_base_modify(opened(mode).base, descriptor, interest.rawValue)
  }

  package func unwatch(mode: Int, descriptor: Int32) -> Int32 {
    // A child's cancel must not end the watch of its parent, and has nothing to tell.
    if isInherited { return 0 }
    return wl_base_unwatch(opened(mode).base, descriptor)
  }

  private func assertInterest(_ interest: Readiness) {
    assert(
      !interest.intersection([.read, .write]).isEmpty,
      "a watch needs read or write interest, not \(interest.rawValue)")
  }

  // MARK: - Waiting

  package func poll(mode: Int, into ready: inout [ReadyEvent]) -> WaitOutcome {
    run(opened(mode), blocking: false, into: &ready)
  }

  package func wait(mode: Int, until deadlines: WaitDeadlines, into ready: inout [ReadyEvent]) -> WaitOutcome
  {
    let mode = opened(mode)
    let wereSet = settings.watch(deadlines.endsWhenClocksAreSet) {
      watchInternally($0, bit: Internal.clockSettings)
    }
    if wereSet { return run(mode, blocking: false, into: &ready).union(.clocksSet) }
    // Timers before the waker: while the loop counts as sleeping, each raise costs a system call.
    guard timers.arm(deadlines, watch: { watchTimer($0, $1) }) == .set else {
      return run(mode, blocking: false, into: &ready)
    }
    let begin = patience.measures && canLook ? SystemClock.now(.suspending) : nil
    if let begin, patience.looks, look(from: begin, until: deadlines) {
      return run(mode, blocking: false, into: &ready)
    }
    guard waker.prepareToSleep() else { return run(mode, blocking: false, into: &ready) }
    let outcome = run(mode, blocking: true, into: &ready)
    waker.didWake()
    patience.noteSleep(
      nanoseconds: begin.map { SystemClock.now(.suspending) - $0 }, endedByPost: wakerWasReported)
    return outcome
  }

  /// Looks for a moment whether another thread raises something, unless a deadline is as near.
  private func look(from begin: Int64, until deadlines: WaitDeadlines) -> Bool {
    let end = begin &+ WakePatience.limit
    if deadlines.suspending <= end { return false }
    let found = waker.look(until: end)
    patience.noteLook(nanoseconds: SystemClock.now(.suspending) - begin, found: found)
    return found
  }

  private func run(_ mode: Mode, blocking: Bool, into ready: inout [ReadyEvent]) -> WaitOutcome {
    let collected = wl_base_run(mode.base, blocking ? 1 : 0)
    precondition(
      collected.error == 0, "the loop can't wait any more: \(describe(errno: collected.error))")
    // The base's own array, untouched until the next call on the base.
    for event in UnsafeBufferPointer(start: collected.events, count: Int(collected.count)) {
      ready.append(ReadyEvent(token: event.token, readiness: Readiness(rawValue: event.readiness)))
    }
    var outcome = collected.batch_full != 0 ? WaitOutcome.batchFull : WaitOutcome.nothing
    wakerWasReported = collected.internal & Internal.waker != 0
    guard collected.internal != 0 else { return outcome }
    timers.noteExpired(collected.internal)
    if wakerWasReported {
      // Each write is an edge, so that a single mode can do without the reading, which costs as much as the write.
      // Several have to be kept from reporting the same one.
      wakerIsUnread = true
      if openModes > 1 { readWaker() }
    }
    if collected.internal & Internal.mainQueue != 0, let descriptor = mode.mainQueue {
      // Before the drain, and here rather than there: a loop that may not drain now must not spin on it.
      MainDispatchQueue.clear(descriptor)
      outcome.insert(.mainQueue)
    }
    if collected.internal & Internal.clockSettings != 0 {
      settings.noteSet()
      outcome.insert(.clocksSet)
    }
    return outcome
  }

  private func readWaker() {
    if !wakerIsUnread { return }
    wakerIsUnread = false
    wl_waker_drain(waker.pointer)
  }

  package func spin(until instant: Int64) { while SystemClock.now(.suspending) < instant {} }

  package func drainMainQueue() { MainDispatchQueue.drain() }

  // MARK: - Asking about descriptors

  package func probe(_ descriptor: Int32) -> Int16 { wl_descriptor_probe(descriptor) }

  package func unreadBytes(_ descriptor: Int32) -> Int { Int(wl_descriptor_unread_bytes(descriptor)) }

  package func isOpen(_ descriptor: Int32) -> Bool { wl_descriptor_is_open(descriptor) != 0 }

  // MARK: - Ending

  package func close(inForkedChild: Bool) {
    for case let mode? in modes { wl_base_free(mode.base, inForkedChild ? 1 : 0) }
    modes.removeAll()
    openModes = 0
    closeHostDescriptor()
    timers.close()
    settings.close()
  }
}
