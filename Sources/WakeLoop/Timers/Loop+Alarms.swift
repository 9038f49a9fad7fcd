public import FoundationEssentials
import LoopCore

/// Alarms whose next date comes from a closure.
extension Loop {
  /// Calls a closure at each date that another closure names, by the wall clock however that is set meanwhile.
  ///
  /// What knows the calendar names the dates, so "every day at nine" stays at nine when summer time begins:
  ///
  /// ```swift
  /// loop.schedule(next: { calendar.nextDate(after: $0, matching: nine, matchingPolicy: .nextTime) }) { pass in
  ///   ring()
  /// }
  /// ```
  ///
  /// Set forward past several dates, the clock has it called once with the others counted as missed (beyond 10,000 they
  /// are skipped uncounted); set back, nothing is told twice, and what was not told yet is asked for again. The timer
  /// ends when there is no next date. Loop's thread only.
  /// - Parameters:
  ///   - next: The first date after the one it is given; nil if there is none. It is first given the present.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - body: Called with the pass.
  /// - Precondition: Each date is later than the one it follows.
  @discardableResult
  public func schedule(
    next: @escaping (Date) -> Date?, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (Pass) -> Void
  ) -> Timer {
    alarm(next, tolerance, mode, .pass(body), owner: nil, fileID, line)
  }

  /// Calls a closure at each date that another closure names, until its owner dies.
  ///
  /// Loop's thread only; see `schedule(next:)` without an owner.
  /// - Parameters:
  ///   - next: The first date after the one it is given; nil if there is none.
  ///   - owner: Held weakly; its death ends the timer.
  ///   - tolerance: By how much the loop may be late, to share a wake-up.
  ///   - mode: Where the timer acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - body: Called with the owner and the pass.
  /// - Precondition: Each date is later than the one it follows.
  @discardableResult
  public func schedule<O: AnyObject>(
    next: @escaping (Date) -> Date?, owner: O, tolerance: Duration = .zero, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (O, Pass) -> Void
  ) -> Timer {
    alarm(next, tolerance, mode, .calling(body), owner: owner, fileID, line)
  }

  private func alarm(
    _ next: @escaping (Date) -> Date?, _ tolerance: Duration, _ mode: Mode, _ handler: Timer.Handler,
    owner: AnyObject?, _ fileID: StaticString, _ line: UInt
  ) -> Timer {
    let rule = DateRule(next)
    let repetition = Timer.Repetition(interval: .max, seconds: 0, policy: .skip)
    repetition.rule = rule
    let first = rule.date(after: Clocks.date(ofWall: backend.now(.wall)))
    let timer = schedule(
      at: .max, clock: .wall, repetition: repetition, tolerance: tolerance, mode: mode, handler: handler,
      owner: owner, fileID: fileID, line: line)
    guard let first else {
      timer.endNow()
      return timer
    }
    if timer.isEnded { return timer }
    timer.move(to: first)
    timer.requeue()
    // Not kept from ending by it, since it keeps no loop alive.
    let observer = observeAbsences(in: mode, fileID: fileID, line: line) { [weak self, weak timer] absence in
      guard let self, let timer, absence.clockStep != .zero else { return }
      timer.clockWasSet(now: now(of: .wall))
    }
    rule.onEnd = { observer.invalidate() }
    return timer
  }
}
