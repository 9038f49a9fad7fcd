package import LoopCore

/// A backend that has no real time at all.
///
/// A wait moves the clocks at once to the first instant at which something is to happen: a deadline of the
/// loop's or an event of the script. Nothing else moves them but ``elapse(for:)`` and ``sleepMachine(for:)``.
/// All members are for the loop's own thread.
package final class VirtualBackend: LoopBackend {
  package private(set) var clocks: VirtualClocks {
    didSet { published.publish(clocks) }
  }
  /// The same clocks for other threads.
  package let published: PublishedClocks
  private var descriptors = VirtualDescriptorTable()
  private var script = VirtualScript()
  /// How many times in a row the loop has looked and found time where it was.
  private var looksAtOneInstant = 0
  /// The wall was set or the machine has slept, and no look has been told of it yet.
  private var clocksWereSet = false

  /// So many passes at one instant are taken for a program that never lets time go on.
  package var mostLooksAtOneInstant = 1_000_000

  /// Makes a backend whose wall clock starts at so many nanoseconds since 1970.
  ///
  /// - Parameter resolution: the step in which all clocks tick, in nanoseconds.
  package init(wall: Int64, resolution: Int64 = 1) {
    let clocks = VirtualClocks(wall: wall, resolution: resolution)
    published = PublishedClocks(clocks)
    self.clocks = clocks
  }
}

// MARK: - Clocks

extension VirtualBackend {
  /// Reads the suspending and the wall clock, at one point.
  package func readClocks() -> ClockReadings { clocks.readings }

  /// Reads one clock in nanoseconds.
  package func now(_ clock: ClockDomain) -> Int64 { clocks.now(clock) }

  /// Lets so much time pass on all clocks; the script's events happen at their instants.
  package func elapse(for nanoseconds: Int64) {
    precondition(nanoseconds >= 0, "time can't go back by \(nanoseconds) ns")
    elapse(until: clocks.exactSuspending.addingSaturated(nanoseconds))
  }

  /// Lets time pass until an instant of the suspending clock; one that has passed moves nothing.
  package func elapse(until instant: Int64) {
    applyDueEvents()
    while let next = script.nextInstant, next <= instant {
      if let arrival = clocks.continuousInstant(of: next, on: .suspending) { move(toContinuous: arrival) }
      applyDueEvents()
    }
    move(toSuspending: instant)
  }

  /// Lets the machine sleep: wall and continuous clock move on, the suspending one stands still.
  package func sleepMachine(for nanoseconds: Int64) {
    clocks.sleep(for: nanoseconds)
    clocksWereSet = true
    looksAtOneInstant = 0
  }

  /// Sets the wall clock forward, or back where negative.
  package func stepWall(by nanoseconds: Int64) {
    clocks.stepWall(by: nanoseconds)
    clocksWereSet = true
  }

  /// Makes the wall clock gain so many nanoseconds a second from now on, or lose where negative.
  package func setWallDrift(nanosecondsPerSecond drift: Int64) {
    clocks.setWallDrift(nanosecondsPerSecond: drift)
  }

  private func move(toSuspending instant: Int64) {
    clocks.move(toSuspending: instant)
    looksAtOneInstant = 0
  }

  private func move(toContinuous instant: Int64) {
    clocks.move(toContinuous: instant)
    looksAtOneInstant = 0
  }
}

// MARK: - Script

extension VirtualBackend {
  /// Has `change` happen outside the loop when the suspending clock comes to `instant`.
  ///
  /// It happens while time passes, so in no pass. An instant that has passed is the next look at the world.
  /// - Parameter wakes: whether a loop that waits looks up afterwards; it does anyway if something became
  ///   ready or due.
  package func at(_ instant: Int64, wakes: Bool, _ change: @escaping () -> Void) {
    script.add(ScriptedEvent(instant: instant, wakes: wakes, change: change))
  }

  /// When the script's next event happens, in nanoseconds of the suspending clock; nil is never.
  package var nextEventInstant: Int64? { script.nextInstant }

  /// Lets happen what is due; tells whether one of it wakes the loop.
  @discardableResult
  private func applyDueEvents() -> Bool {
    var wakes = false
    // An event may let time pass, or add events: the clock and the script are asked anew each time.
    while let event = script.takeDue(now: clocks.now(.suspending)) {
      event.change()
      wakes = wakes || event.wakes
    }
    return wakes
  }
}

// MARK: - Waiting

extension VirtualBackend {
  /// Collects what is ready; time stands still.
  package func poll(mode: Int, into ready: inout [ReadyEvent]) -> WaitOutcome {
    countLook()
    applyDueEvents()
    descriptors.collect(mode: mode, into: &ready)
    return takeClocksSet()
  }

  /// Moves time to the first instant at which something is ready or due.
  package func wait(mode: Int, until deadlines: WaitDeadlines, into ready: inout [ReadyEvent]) -> WaitOutcome
  {
    countLook()
    let readyBefore = ready.count
    while true {
      let isWoken = applyDueEvents()
      descriptors.collect(mode: mode, into: &ready)
      if isWoken || ready.count > readyBefore || (clocksWereSet && deadlines.endsWhenClocksAreSet) {
        return takeClocksSet()
      }

      // Asked anew in each turn: an event may have stepped the wall or put the machine to sleep.
      let deadline = clocks.continuousInstant(of: deadlines)
      if let deadline, clocks.hasReached(continuous: deadline) { return takeClocksSet() }
      let event = script.nextInstant.flatMap { clocks.continuousInstant(of: $0, on: .suspending) }
      switch (deadline, event) {
      case (nil, nil):
        return takeClocksSet().union(.onlyForeign)
      case (let deadline?, nil):
        move(toContinuous: deadline)
        return takeClocksSet()
      case (nil, let event?):
        move(toContinuous: event)
      case (let deadline?, let event?):
        move(toContinuous: min(deadline, event))
      }
    }
  }

  private func takeClocksSet() -> WaitOutcome {
    defer { clocksWereSet = false }
    return clocksWereSet ? .clocksSet : []
  }

  /// Lets time pass until an instant of the suspending clock.
  package func spin(until instant: Int64) { elapse(until: instant) }

  private func countLook() {
    looksAtOneInstant += 1
    precondition(
      looksAtOneInstant <= mostLooksAtOneInstant,
      """
      \(mostLooksAtOneInstant) passes in a row at one virtual instant: some handler schedules work \
      for now again and again, and virtual time goes on only when nothing is left to do
      """)
  }
}

// MARK: - Modes and descriptors

extension VirtualBackend {
  /// Opens a mode.
  ///
  /// The main queue is not served: its blocks come in real time.
  package func openMode(_ mode: Int, servesMainQueue: Bool) -> Int32 {
    descriptors.openMode(mode)
    return 0
  }

  /// Lets go of a mode and all its watches.
  package func closeMode(_ mode: Int) { descriptors.closeMode(mode) }

  /// Watches any number that a script has not closed or made fail.
  package func watch(mode: Int, descriptor: Int32, interest: Readiness, token: UInt) -> Int32 {
    descriptors.watch(mode: mode, descriptor: descriptor, interest: interest, token: token)
  }

  /// Changes the interest; EBADF where the script has closed the number, ENOENT where it has reopened it.
  package func modify(mode: Int, descriptor: Int32, interest: Readiness) -> Int32 {
    descriptors.modify(mode: mode, descriptor: descriptor, interest: interest)
  }

  /// Stops watching; errors as of ``modify(mode:descriptor:interest:)``.
  package func unwatch(mode: Int, descriptor: Int32) -> Int32 {
    descriptors.unwatch(mode: mode, descriptor: descriptor)
  }

  /// Changes what the script says of a descriptor.
  func changeDescriptor(_ descriptor: Int32, _ body: (inout VirtualDescriptor) -> Void) {
    descriptors.change(descriptor, body)
  }

  /// Does nothing: no wait ever reports the main queue.
  package func drainMainQueue() {}

  /// Tells what poll(2) would, by the script.
  package func probe(_ descriptor: Int32) -> Int16 {
    descriptor < 0 ? PollBits.invalid.rawValue : descriptors[descriptor].pollBits.rawValue
  }

  /// Tells how many bytes could be read, by the script; -1 where the number is closed.
  package func unreadBytes(_ descriptor: Int32) -> Int {
    descriptor < 0 ? -1 : descriptors[descriptor].bytesToRead
  }

  /// Tells whether the number names a file, by the script.
  package func check(_ descriptor: Int32) -> Int32 { descriptors.check(descriptor) }

  package func isOpen(_ descriptor: Int32) -> Bool { descriptor >= 0 && descriptors[descriptor].isOpen }

  /// Tells that there is no kernel object that another loop could poll.
  package func openHostDescriptor(mode: Int) -> Int32 { .min }

  package func closeHostDescriptor() {}

  /// Tells whether nothing is due or ready yet; time moves when the host lets it.
  package func hostWillWait(mode: Int, until deadlines: WaitDeadlines) -> WaitOutcome? {
    applyDueEvents()
    var ready: [ReadyEvent] = []
    descriptors.collect(mode: mode, into: &ready)
    if !ready.isEmpty || (clocksWereSet && deadlines.endsWhenClocksAreSet) { return .nothing }
    guard let deadline = clocks.continuousInstant(of: deadlines) else { return nil }
    return clocks.hasReached(continuous: deadline) ? .nothing : nil
  }

  package func hostDidWake() {}

  package func alertHost() {}

  /// Forgets all watches and what was still to happen.
  package func close(inForkedChild: Bool) {
    script.removeAll()
    descriptors.removeAll()
  }
}
