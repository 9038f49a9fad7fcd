public import FoundationEssentials
import LoopCore
import LoopPlatform

/// How a countdown is made: of a duration or to a date, with or without an owner.
extension Countdown {
  /// Makes a countdown of a duration.
  ///
  /// - Parameters:
  ///   - duration: How long it takes from each start; negative is zero.
  ///   - resolution: The unit that is shown: a second, a tenth, a hundredth.
  ///   - clock: What it goes by. The continuous clock also counts while the machine sleeps.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - onTick: Called with each value, the first one inside `start()`.
  ///   - onFinish: Called once when nothing remains, after the tick of 0.
  /// - Precondition: The resolution is positive.
  public convenience init(
    _ duration: Duration, resolution: Duration = .seconds(1), clock: CountdownClock = .continuous,
    in mode: Loop.Mode = .common, on loop: Loop? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    onTick: @escaping (CountdownReading) -> Void, onFinish: @escaping () -> Void = {}
  ) {
    self.init(
      .after(max(0, duration.clampedNanoseconds)), resolution, clock, mode, loop, owner: nil, fileID, line,
      onFinish: onFinish, onTick: onTick)
  }

  /// Makes a countdown of a duration that does not keep its owner alive and ends with it.
  ///
  /// - Parameters:
  ///   - duration: How long it takes from each start; negative is zero.
  ///   - owner: Held weakly; its death cancels the countdown.
  ///   - resolution: The unit that is shown.
  ///   - clock: What it goes by.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - onTick: Called with the owner and each value, the first one inside `start()`.
  ///   - onFinish: Called once with the owner when nothing remains, after the tick of 0.
  /// - Precondition: The resolution is positive.
  public convenience init<Owner: AnyObject>(
    _ duration: Duration, owner: Owner, resolution: Duration = .seconds(1),
    clock: CountdownClock = .continuous, in mode: Loop.Mode = .common, on loop: Loop? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    onTick: @escaping (Owner, CountdownReading) -> Void, onFinish: @escaping (Owner) -> Void = { _ in }
  ) {
    self.init(
      .after(max(0, duration.clampedNanoseconds)), resolution, clock, mode, loop, owner: owner, fileID, line,
      onFinish: { [weak owner] in if let owner { onFinish(owner) } },
      onTick: { [weak owner] reading in if let owner { onTick(owner, reading) } })
  }

  /// Makes a countdown to a date.
  ///
  /// By the wall clock, or a server's, it follows that clock however it is set. By a clock without dates, as the
  /// continuous one, the date is converted at each start, and no later setting of the clock moves the end.
  ///
  /// - Parameters:
  ///   - date: When it ends; one that has passed is at once.
  ///   - resolution: The unit that is shown.
  ///   - clock: What it goes by.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - onTick: Called with each value, the first one inside `start()`.
  ///   - onFinish: Called once when nothing remains, after the tick of 0.
  /// - Precondition: The date is not NaN, the resolution positive.
  public convenience init(
    until date: Date, resolution: Duration = .seconds(1), clock: CountdownClock = .continuous,
    in mode: Loop.Mode = .common, on loop: Loop? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    onTick: @escaping (CountdownReading) -> Void, onFinish: @escaping () -> Void = {}
  ) {
    self.init(
      .date(DatedInstant(date, "the date of a countdown")), resolution, clock, mode, loop, owner: nil, fileID,
      line, onFinish: onFinish, onTick: onTick)
  }

  /// Makes a countdown to a date that does not keep its owner alive and ends with it.
  ///
  /// - Parameters:
  ///   - date: When it ends; one that has passed is at once.
  ///   - owner: Held weakly; its death cancels the countdown.
  ///   - resolution: The unit that is shown.
  ///   - clock: What it goes by.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - onTick: Called with the owner and each value, the first one inside `start()`.
  ///   - onFinish: Called once with the owner when nothing remains, after the tick of 0.
  /// - Precondition: The date is not NaN, the resolution positive.
  public convenience init<Owner: AnyObject>(
    until date: Date, owner: Owner, resolution: Duration = .seconds(1),
    clock: CountdownClock = .continuous, in mode: Loop.Mode = .common, on loop: Loop? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    onTick: @escaping (Owner, CountdownReading) -> Void, onFinish: @escaping (Owner) -> Void = { _ in }
  ) {
    self.init(
      .date(DatedInstant(date, "the date of a countdown")), resolution, clock, mode, loop, owner: owner,
      fileID, line,
      onFinish: { [weak owner] in if let owner { onFinish(owner) } },
      onTick: { [weak owner] reading in if let owner { onTick(owner, reading) } })
  }
}
