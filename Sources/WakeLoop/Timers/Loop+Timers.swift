public import FoundationEssentials
import LoopCore
import LoopPlatform

extension Loop {
  /// The clock that a timer goes by.
  public enum TimerClock: Hashable, Sendable {
    /// Stands still while the machine sleeps, and no setting of the clock moves it. CLOCK_MONOTONIC.
    case suspending
    /// Counts sleep, and no setting of the clock moves it. CLOCK_BOOTTIME.
    case continuous
    /// The time of day, however it is set. CLOCK_REALTIME.
    case wall

    var domain: ClockDomain {
      switch self {
      case .suspending: .suspending
      case .continuous: .continuous
      case .wall: .wall
      }
    }
  }

  /// What becomes of the beats that passed while a repeating timer could not be called.
  ///
  /// ```
  /// beats      1     2     3     4     5     6
  /// busy          ────────────────┐
  /// skip       1                  2  5     6         3 and 4 are missed
  /// delay      1                  2     +1    +1     each a full interval after the late one
  /// burst(2)   1                  2 3 4 5     6      3 and 4 are called late, in a pass each
  /// ```
  public enum MissedBeats: Hashable, Sendable {
    /// They are counted and never called; the grid stays.
    case skip
    /// They are counted, and the next beat is a full interval after the late one.
    case delay
    /// The latest of them, so many at most, are called in a pass each; those before are counted.
    case burst(limit: Int)

    var policy: LoopCore.MissedBeats {
      switch self {
      case .skip: .skip
      case .delay: .delay
      case .burst(let limit): .burst(limit: limit)
      }
    }
  }

  // MARK: Once

  /// Calls a closure once, a delay from now.
  ///
  /// The delay counts from the true time of the call, not from the pass's stamp; see `schedule(at:)` for the
  /// other. Cancelling the timer before it fires lets go of the closure at once. Loop's thread only.
  /// - Parameters:
  ///   - delay: On the suspending clock; negative is zero, which is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  @discardableResult
  public func after(
    _ delay: Duration, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (Pass) -> Void
  ) -> Timer {
    schedule(
      at: saturatingAdd(backend.now(.suspending), max(0, delay.clampedNanoseconds)), clock: .suspending,
      tolerance: tolerance, mode: mode, handler: .pass(body), fileID: fileID, line: line)
  }

  /// Calls a closure once, a delay from now, unless its owner has died before.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - delay: On the suspending clock; negative is zero, which is the next pass.
  ///   - owner: Held weakly; its death ends the timer.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the owner and the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  @discardableResult
  public func after<O: AnyObject>(
    _ delay: Duration, owner: O, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (O, Pass) -> Void
  ) -> Timer {
    schedule(
      at: saturatingAdd(backend.now(.suspending), max(0, delay.clampedNanoseconds)), clock: .suspending,
      tolerance: tolerance, mode: mode, handler: .calling(body), owner: owner, fileID: fileID, line: line)
  }

  /// Calls a closure once, at an instant.
  ///
  /// `wakeInstant + .seconds(5)` counts from the now that all handlers of the pass share. Loop's thread only.
  /// - Parameters:
  ///   - instant: On the suspending clock; one that has passed is the next pass, older ones first.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  @discardableResult
  public func schedule(
    at instant: Instant, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (Pass) -> Void
  ) -> Timer {
    schedule(
      at: instant.nanoseconds, clock: .suspending, tolerance: tolerance, mode: mode, handler: .pass(body),
      fileID: fileID, line: line)
  }

  /// Calls a closure once, at an instant, unless its owner has died before.
  ///
  /// Loop's thread only; see `schedule(at:)` without an owner.
  /// - Parameters:
  ///   - instant: On the suspending clock; one that has passed is the next pass, older ones first.
  ///   - owner: Held weakly; its death ends the timer.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the owner and the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  @discardableResult
  public func schedule<O: AnyObject>(
    at instant: Instant, owner: O, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (O, Pass) -> Void
  ) -> Timer {
    schedule(
      at: instant.nanoseconds, clock: .suspending, tolerance: tolerance, mode: mode, handler: .calling(body),
      owner: owner, fileID: fileID, line: line)
  }

  /// Calls a closure once, at a date of the wall clock, however that is set meanwhile.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - date: One that has passed is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The date is not NaN.
  @discardableResult
  public func schedule(
    at date: Date, tolerance: Duration = .zero, in mode: Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping (Pass) -> Void
  ) -> Timer {
    alarm(at: date, tolerance, mode, .pass(body), owner: nil, fileID, line)
  }

  /// Calls a closure once, at a date of the wall clock, unless its owner has died before.
  ///
  /// Loop's thread only; see `schedule(at:)` without an owner.
  /// - Parameters:
  ///   - date: One that has passed is the next pass.
  ///   - owner: Held weakly; its death ends the timer.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the owner and the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The date is not NaN.
  @discardableResult
  public func schedule<O: AnyObject>(
    at date: Date, owner: O, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (O, Pass) -> Void
  ) -> Timer {
    alarm(at: date, tolerance, mode, .calling(body), owner: owner, fileID, line)
  }

  // MARK: Repeatedly

  /// Calls a closure every interval, on a grid that keeps its phase for ever.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms.
  ///   - first: The first beat, on the suspending clock; nil is one interval from now.
  ///   - firesNow: True makes the first beat now: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - missed: What becomes of beats that pass while the loop is busy.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: A first beat goes with the suspending clock only.
  @discardableResult
  public func schedule(
    every interval: Duration, startingAt first: Instant? = nil, firesNow: Bool = false,
    tolerance: Duration = .zero, clock: TimerClock = .suspending, missed: MissedBeats = .skip,
    in mode: Mode = .common, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (Pass) -> Void
  ) -> Timer {
    repeating(
      interval, first, firesNow, clock, missed, tolerance: tolerance, mode: mode, handler: .pass(body),
      owner: nil, fileID: fileID, line: line)
  }

  /// Calls a closure every interval, until its owner dies.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms.
  ///   - owner: Held weakly; its death ends the timer.
  ///   - first: The first beat, on the suspending clock; nil is one interval from now.
  ///   - firesNow: True makes the first beat now: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - missed: What becomes of beats that pass while the loop is busy.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the owner and the pass.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: A first beat goes with the suspending clock only.
  @discardableResult
  public func schedule<O: AnyObject>(
    every interval: Duration, owner: O, startingAt first: Instant? = nil, firesNow: Bool = false,
    tolerance: Duration = .zero, clock: TimerClock = .suspending, missed: MissedBeats = .skip,
    in mode: Mode = .common, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (O, Pass) -> Void
  ) -> Timer {
    repeating(
      interval, first, firesNow, clock, missed, tolerance: tolerance, mode: mode, handler: .calling(body),
      owner: owner, fileID: fileID, line: line)
  }

  // MARK: Inside

  func schedule(
    at deadline: Int64, clock: ClockDomain, repetition: Timer.Repetition? = nil, tolerance: Duration,
    mode: Mode, handler: Timer.Handler, owner: AnyObject? = nil, fileID: StaticString, line: UInt
  ) -> Timer {
    checkUsable("add a timer")
    let timer = Timer(
      deadline: deadline, clock: clock, repetition: repetition, handler: handler, timeBase: mailbox.number,
      threadID: threadID,
      fileID: fileID, line: line)
    if tolerance > .zero { timer.madeExtras.tolerance = tolerance.clampedNanoseconds }
    if let owner { timer.bind(to: owner) }
    if isClosed {
      timer.endNow()
    } else {
      attach(timer, to: mode == .common ? common : record(of: mode))
    }
    return timer
  }

  private func alarm(
    at date: Date, _ tolerance: Duration, _ mode: Mode, _ handler: Timer.Handler, owner: AnyObject?,
    _ fileID: StaticString, _ line: UInt
  ) -> Timer {
    let timer = schedule(
      at: DatedInstant(date, "the date").nanoseconds, clock: .wall, tolerance: tolerance, mode: mode,
      handler: handler, owner: owner, fileID: fileID, line: line)
    timer.spell(date.timeIntervalSinceReferenceDate)
    return timer
  }

  private func repeating(
    _ interval: Duration, _ first: Instant?, _ firesNow: Bool, _ clock: TimerClock, _ missed: MissedBeats,
    tolerance: Duration, mode: Mode, handler: Timer.Handler, owner: AnyObject?, fileID: StaticString,
    line: UInt
  ) -> Timer {
    precondition(
      first == nil || clock == .suspending,
      "startingAt: is an instant of the suspending clock and the timer goes by \(clock)")
    let repetition = Timer.Repetition(interval, missed)
    let now = backend.now(clock.domain)
    let deadline = first?.nanoseconds ?? (firesNow ? now : saturatingAdd(now, repetition.interval))
    return schedule(
      at: deadline, clock: clock.domain, repetition: repetition, tolerance: tolerance, mode: mode,
      handler: handler, owner: owner, fileID: fileID, line: line)
  }
}

extension Loop.Timer.Repetition {
  /// An interval; one of zero or less is 0.1 ms, as Apple documents for `NSTimer`.
  convenience init(_ interval: Duration, _ missed: Loop.MissedBeats) {
    let nanoseconds = Grid.validInterval(interval.clampedNanoseconds)
    self.init(
      interval: nanoseconds, seconds: Double(nanoseconds) / 1e9, policy: missed.policy)
  }
}
