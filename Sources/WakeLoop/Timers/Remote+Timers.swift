public import FoundationEssentials
import LoopCore
import LoopPlatform

/// Timers made by other threads for a loop.
///
/// They belong to the loop's thread. Whoever made one may pause, resume and invalidate it; to re-date it, perform a
/// block on the loop.
extension Loop.Remote {
  /// Has the loop call a closure once, a delay from now.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - delay: On the suspending clock; negative is zero, which is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the loop's thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the loop has ended.
  @discardableResult
  public func after(
    _ delay: Duration, tolerance: Duration = .zero, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    send(
      at: saturatingAdd(mailbox.now(.suspending), max(0, delay.clampedNanoseconds)), clock: .suspending,
      repetition: nil, tolerance: tolerance, mode: mode, body: body, fileID: fileID, line: line)
  }

  /// Has the loop call a closure once, at an instant.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - instant: On the suspending clock; one that has passed is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the loop's thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the loop has ended.
  @discardableResult
  public func schedule(
    at instant: Loop.Instant, tolerance: Duration = .zero, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    send(
      at: instant.nanoseconds, clock: .suspending, repetition: nil, tolerance: tolerance, mode: mode,
      body: body, fileID: fileID, line: line)
  }

  /// Has the loop call a closure once, at a date of the wall clock, however that is set meanwhile.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - date: One that has passed is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the loop's thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the loop has ended.
  /// - Precondition: The date is not NaN.
  @discardableResult
  public func schedule(
    at date: Date, tolerance: Duration = .zero, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    send(
      at: DatedInstant(date, "the date").nanoseconds, clock: .wall, repetition: nil, tolerance: tolerance,
      mode: mode, body: body, fileID: fileID, line: line)
  }

  /// Has the loop call a closure every interval, on a grid that keeps its phase for ever.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms.
  ///   - firesNow: True makes the first beat now: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - missed: What becomes of beats that pass while the loop is busy.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the loop's thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the loop has ended.
  @discardableResult
  public func schedule(
    every interval: Duration, firesNow: Bool = false, tolerance: Duration = .zero,
    clock: Loop.TimerClock = .suspending, missed: Loop.MissedBeats = .skip, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    let repetition = Loop.Timer.Repetition(interval, missed)
    let now = mailbox.now(clock.domain)
    return send(
      at: firesNow ? now : saturatingAdd(now, repetition.interval), clock: clock.domain,
      repetition: repetition, tolerance: tolerance, mode: mode, body: body, fileID: fileID, line: line)
  }

  func send(
    at deadline: Int64, clock: ClockDomain, repetition: Loop.Timer.Repetition?, tolerance: Duration,
    mode: Loop.Mode, body: @escaping @Sendable (Loop.Pass) -> Void,
    cancelHandler: (@Sendable () -> Void)? = nil, fileID: StaticString, line: UInt
  ) -> Loop.Timer {
    let timer = Loop.Timer(
      deadline: deadline, clock: clock, repetition: repetition, handler: .pass(body),
      timeBase: mailbox.number, threadID: mailbox.thread, fileID: fileID, line: line)
    if tolerance > .zero { timer.madeExtras.tolerance = tolerance.clampedNanoseconds }
    if let cancelHandler { timer.madeExtras.cancelHandler = cancelHandler }
    if let loop = mailbox.loopOfThisThread {
      loop.add(timer, forMode: mode)
    } else if !mailbox.postAddition(of: timer, modes: [mode]) {
      timer.refuse()
    }
    return timer
  }
}

/// Timers made by other threads for the main loop.
extension Loop.MainRemote {
  /// Has the main loop call a closure once, a delay from now.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - delay: On the suspending clock; negative is zero, which is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the main thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the main loop has ended.
  @discardableResult
  public func after(
    _ delay: Duration, tolerance: Duration = .zero, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    remote.after(delay, tolerance: tolerance, in: mode, fileID: fileID, line: line) { pass in
      MainActor.assumeIsolated { body(pass) }
    }
  }

  /// Has the main loop call a closure once, at an instant.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - instant: On the suspending clock; one that has passed is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the main thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the main loop has ended.
  @discardableResult
  public func schedule(
    at instant: Loop.Instant, tolerance: Duration = .zero, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    remote.schedule(at: instant, tolerance: tolerance, in: mode, fileID: fileID, line: line) { pass in
      MainActor.assumeIsolated { body(pass) }
    }
  }

  /// Has the main loop call a closure once, at a date of the wall clock, however that is set meanwhile.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - date: One that has passed is the next pass.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the main thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the main loop has ended.
  /// - Precondition: The date is not NaN.
  @discardableResult
  public func schedule(
    at date: Date, tolerance: Duration = .zero, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    remote.schedule(at: date, tolerance: tolerance, in: mode, fileID: fileID, line: line) { pass in
      MainActor.assumeIsolated { body(pass) }
    }
  }

  /// Has the main loop call a closure every interval, on a grid that keeps its phase for ever.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms.
  ///   - firesNow: True makes the first beat now: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - missed: What becomes of beats that pass while the loop is busy.
  ///   - mode: Where the timer acts.
  ///   - body: Called with the pass on the main thread.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The timer; it is invalid at once if the main loop has ended.
  @discardableResult
  public func schedule(
    every interval: Duration, firesNow: Bool = false, tolerance: Duration = .zero,
    clock: Loop.TimerClock = .suspending, missed: Loop.MissedBeats = .skip, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Loop.Pass) -> Void
  ) -> Loop.Timer {
    remote.schedule(
      every: interval, firesNow: firesNow, tolerance: tolerance, clock: clock, missed: missed, in: mode,
      fileID: fileID, line: line
    ) { pass in
      MainActor.assumeIsolated { body(pass) }
    }
  }
}
