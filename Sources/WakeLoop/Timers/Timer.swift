import FoundationEssentials
import LoopCore
import LoopPlatform

extension Loop {
  /// Calls a handler at a time, once or repeatedly.
  ///
  /// A timer is never early, keeps its phase for ever, and acts only in the modes that it is in. Once added it
  /// lives in the loop until it is invalidated, has fired its one time or has lost its target; dropping the
  /// reference changes nothing. The class is final: to give a timer more state, hold it in an object of yours, or
  /// put the state into `userInfo`.
  public final class Timer: DatedItem, @unchecked Sendable {
    /// The handler in the shape in which it was given.
    enum Handler {
      case released
      case pass((Pass) -> Void)
      case timer((Timer) -> Void)
      case block(() -> Void)
      case ownedPass((AnyObject, Pass) -> Void)
      case ownedTimer((AnyObject, Timer) -> Void)
    }

    /// What only repeating timers need.
    final class Repetition {
      /// Nanoseconds.
      let interval: Int64
      /// Seconds, as they were given.
      let seconds: Double
      let policy: LoopCore.MissedBeats
      /// Seconds since the reference date of the beat from which dates are counted, and how many intervals have
      /// passed since: dates are computed from both, so that they don't drift.
      var baseDate = Double.nan
      var beats = 0
      var missed = 0
      /// How many of those the handler has not been told of.
      var untold = 0
      /// Since when the timer is paused, in nanoseconds of its clock; `.max` if it is not.
      var pausedSince = Int64.max
      /// Where the dates of an alarm at no fixed interval come from.
      var rule: DateRule?

      /// Whether there will be no further beat.
      var isOver: Bool { rule?.isOver ?? false }

      init(interval: Int64, seconds: Double, policy: LoopCore.MissedBeats) {
        self.interval = interval
        self.seconds = seconds
        self.policy = policy
      }

      // Saturating, since beats of a nanosecond may have been missed for centuries.
      func count(missed beats: Int) {
        missed = missed.addingReportingOverflow(beats).overflow ? .max : missed + beats
        untold = untold.addingReportingOverflow(beats).overflow ? .max : untold + beats
      }

      /// How many beats have been missed since this was asked last.
      func takeUntold() -> Int {
        defer { untold = 0 }
        return untold
      }
    }

    let repetition: Repetition?
    @exclusivity(unchecked) var handler: Handler
    /// Whether it is a delayed perform on a target, which can be cancelled by its target.
    var isTargetedPerform = false
    /// How often the wall clock had been set when the date was converted.
    var wallSteps: UInt32 = 0

    init(
      deadline: Int64, clock: ClockDomain = .suspending, repetition: Repetition? = nil,
      handler: Handler, timeBase: UInt32, threadID: Int32, fileID: StaticString, line: UInt
    ) {
      self.repetition = repetition
      self.handler = handler
      super.init(
        deadline: deadline, clock: clock, timeBase: timeBase, threadID: threadID, fileID: fileID, line: line)
    }

    override var kindName: String { "timer" }

    override func releaseHandlers() {
      handler = .released
      repetition?.rule?.end()
      guard let extras else { return }
      // Let go of after the change, since what goes may ask the timer.
      let userInfo = extras.userInfo
      extras.userInfo = nil
      withExtendedLifetime(userInfo) {}
      let cancelHandler = extras.cancelHandler
      extras.cancelHandler = nil
      cancelHandler?()
    }

    // MARK: Queues

    override var longestTolerance: Int64 {
      // As CoreFoundation: a window as wide as the interval would let beats run into each other.
      repetition.map { $0.interval / 2 } ?? .max
    }

    override func join(_ record: ModeRecord) {
      if let loop, timeBase != loop.mailbox.number { rebase(onto: loop) }
      if isPaused { notePause() } else { missPausedBeats() }
      super.join(record)
    }

    override func pauseChanged() {
      if isPaused { notePause() } else { missPausedBeats() }
      requeue()
    }

    /// Remembers since when the timer is paused, or as if it had been paused just now.
    func notePause(anew: Bool = false) {
      guard let loop, let repetition, anew || repetition.pausedSince == .max else { return }
      repetition.pausedSince = loop.backend.now(clock)
    }

    /// Counts the beats that have passed in a pause as missed; one that was due before it is still told.
    private func missPausedBeats() {
      guard let loop, let repetition, repetition.pausedSince != .max else { return }
      let since = repetition.pausedSince
      repetition.pausedSince = .max
      let now = loop.backend.now(clock)
      if deadline > now || deadline <= since { return }
      // Whatever the policy for beats that come late: these have not come at all.
      repetition.count(missed: advance(repetition, by: .skip, now: now) + 1)
      if deadline == .max && repetition.isOver { endNow() }
    }

    /// Takes a deadline that was set by another loop's clocks over to those of the loop that it is added to.
    ///
    /// They differ where one of the two is virtual.
    private func rebase(onto loop: Loop) {
      let maker = Loop.existing.flatMap { $0.mailbox.number == timeBase ? $0 : nil }
      timeBase = loop.mailbox.number
      if let date = spelledFireDate {
        setDeadline(for: Date(timeIntervalSinceReferenceDate: date), by: loop)
      } else if let maker, deadline != .max, deadline != .min, clock != .wall {
        let ahead = saturatingSubtract(deadline, maker.backend.now(clock))
        deadline = saturatingAdd(loop.backend.now(clock), ahead)
      }
    }

    // MARK: Firing

    override func serveDue(in loop: Loop, run: Run) {
      collectedIn = 0
      // Put back by a nested run and not served there.
      if membership.slot >= 0 { dequeue() }
      if isTargetGone {
        endNow()
        return
      }
      let now = loop.now(of: clock)
      if mustWaitForDate(in: loop) { return }
      if deadline == .min { beginGrid(at: now) }
      let late = max(0, saturatingSubtract(now, deadline))
      guard let repetition else {
        // It leaves before the call, so that it holds no nested run open that could never see it fire.
        loop.detach(self)
        call(Pass(loop.currentStamp, missed: 0, late: late, timer: self))
        endNow()
        return
      }
      repetition.count(missed: advance(repetition, by: repetition.policy, now: now))
      call(Pass(loop.currentStamp, missed: repetition.takeUntold(), late: late, timer: self))
      if isTargetGone || (deadline == .max && repetition.isOver) { endNow() } else if !isEnded { enqueue() }
    }

    override func skipDue(in loop: Loop) {
      collectedIn = 0
      // Its handler is on the stack, called by hand: the beat counts as missed.
      if let repetition, local.contains(.isOnStack) {
        let missed = advance(repetition, by: repetition.policy, now: loop.now(of: clock))
        repetition.count(missed: missed + 1)
      }
      // Another thread has paused it and its word is still on the way, so that the queue keeps it as paused; or it
      // has left the modes of the run and waits in others.
      place()
    }

    /// Whether the wall clock, which nobody has set, is still short of the date that was asked for; then the
    /// timer waits for the rest.
    private func mustWaitForDate(in loop: Loop) -> Bool {
      guard local.contains(.followsDate), wallSteps == loop.wallSteps, let date = spelledFireDate
      else { return false }
      let short = date - loop.currentStamp.wakeDate.timeIntervalSinceReferenceDate
      guard short > 0, let rest = TimeConversion.nanoseconds(fromSeconds: short) else { return false }
      deadline = saturatingAdd(loop.currentReadings.suspending, max(1, rest))
      enqueue()
      return true
    }

    /// Calls the handler, unless it is on the stack already.
    func call(_ pass: Pass) {
      if local.contains(.isOnStack) { return }
      local.insert(.isOnStack)
      defer { local.remove(.isOnStack) }
      switch handler {
      case .released: break
      case .pass(let body): body(pass)
      case .timer(let body): body(self)
      case .block(let body): body()
      case .ownedPass(let body): if let owner = extras?.target.object { body(owner, pass) }
      case .ownedTimer(let body): if let owner = extras?.target.object { body(owner, self) }
      }
    }

    // MARK: Dates

    /// Goes on to another beat of the grid.
    func advance(to next: Int64, _ repetition: Repetition) {
      defer { deadline = next }
      if repetition.baseDate.isNaN { return }
      // The distance of any two instants fits, without a sign.
      let (beats, rest) = UInt64(bitPattern: next &- deadline)
        .quotientAndRemainder(dividingBy: UInt64(repetition.interval))
      let (sum, overflow) = repetition.beats.addingReportingOverflow(Int(clamping: beats))
      guard next != .max, rest == 0, !overflow else {
        leaveDates()
        return
      }
      repetition.beats = sum
      madeExtras.fireDate = repetition.baseDate + Double(sum) * repetition.seconds
    }

    /// Begins the grid of one that was only ever due at once: it has no beats in the past.
    private func beginGrid(at now: Int64) {
      deadline = now
      if repetition != nil && repetition?.rule == nil { leaveDates() }
    }

    /// Leaves the grid that the date began: whoever asks for the date is told by the clock.
    func leaveDates() {
      spell(.nan)
      local.remove(.followsDate)
    }

    /// The date as it was set, plus whole intervals; nil if none was set or asked for.
    var spelledFireDate: Double? {
      guard let date = extras?.fireDate, !date.isNaN else { return nil }
      return date
    }

    /// Keeps a date for the present deadline.
    func spell(_ date: Double) {
      madeExtras.fireDate = date
      repetition?.baseDate = date
      repetition?.beats = 0
    }
  }
}

extension ModeRecord {
  /// The item of a clock that is due first, nil if none ever is.
  func earliestItem(_ clock: ClockDomain) -> Loop.Item? {
    queue(clock).earliestTimer.map { Loop.Item.unretained($0.payload) }
  }

  /// Moves deadlines forward to those of the timers here.
  @inline(__always)
  func narrow(_ deadlines: inout WaitDeadlines) {
    deadlines.suspending = min(deadlines.suspending, earliestWake(.suspending))
    guard usesOtherClocks else { return }
    deadlines.continuous = min(deadlines.continuous, earliestWake(.continuous))
    deadlines.wall = min(deadlines.wall, earliestWake(.wall))
  }
}
