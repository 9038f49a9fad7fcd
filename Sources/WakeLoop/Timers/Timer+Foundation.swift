public import FoundationEssentials
import LoopCore
import LoopPlatform

/// The creation forms that Foundation has, as it spells them.
extension Loop.Timer {
  /// Makes a timer that first fires one interval from now; it acts once it is added to a loop.
  ///
  /// The first fire counts from the making, not from the adding, as Foundation's. Any thread that has a loop or
  /// shall have one; the timer belongs to it.
  /// - Parameters:
  ///   - interval: Seconds on the suspending clock; a repeating one of 0 or less is 0.1 ms.
  ///   - repeats: Whether the timer goes on after the first fire.
  ///   - block: Called with the timer.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interval is not NaN.
  public convenience init(
    timeInterval interval: TimeInterval, repeats: Bool, fileID: StaticString = #fileID,
    line: UInt = #line, block: @escaping (Loop.Timer) -> Void
  ) {
    self.init(
      after: interval, repeats: repeats, handler: .timer(block), fileID: fileID, line: line)
  }

  /// Makes a timer that first fires at a date; it acts once it is added to a loop.
  ///
  /// The date is converted to the suspending clock now and does not follow later settings of the wall clock;
  /// for that see `init(fireAt:interval:repeats:block:)`.
  /// - Parameters:
  ///   - date: When to fire first; one that has passed is the next pass.
  ///   - interval: Seconds between fires; only used if the timer repeats.
  ///   - repeats: Whether the timer goes on after the first fire.
  ///   - block: Called with the timer.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: Neither the date nor the interval is NaN.
  public convenience init(
    fire date: Date, interval: TimeInterval, repeats: Bool, fileID: StaticString = #fileID,
    line: UInt = #line, block: @escaping (Loop.Timer) -> Void
  ) {
    self.init(
      deadline: .max, repetition: .make(every: interval, if: repeats), handler: .timer(block),
      timeBase: Loop.here.mailbox.number, threadID: Loop.threadHere, fileID: fileID, line: line)
    setDeadline(for: date, by: Loop.here)
  }

  /// Makes an alarm that first fires at a date of the wall clock, however that is set meanwhile.
  ///
  /// Set back, the clock tells nothing twice; set forward past several beats, it tells once and counts the rest
  /// as missed.
  /// - Parameters:
  ///   - date: When to fire first.
  ///   - interval: Seconds between fires; only used if the alarm repeats.
  ///   - repeats: Whether it goes on after the first fire.
  ///   - block: Called with the timer.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: Neither the date nor the interval is NaN.
  public convenience init(
    fireAt date: Date, interval: TimeInterval = 0, repeats: Bool = false, fileID: StaticString = #fileID,
    line: UInt = #line, block: @escaping (Loop.Timer) -> Void
  ) {
    self.init(
      deadline: .max, clock: .wall, repetition: .make(every: interval, if: repeats),
      handler: .timer(block), timeBase: Loop.here.mailbox.number, threadID: Loop.threadHere, fileID: fileID,
      line: line)
    setDeadline(for: date, by: Loop.here)
  }

  /// Makes a timer that calls a method of a target which it does not keep alive; it acts once it is added.
  ///
  /// The target's death ends the timer, also if it would never have fired again.
  /// - Parameters:
  ///   - interval: Seconds on the suspending clock; a repeating one of 0 or less is 0.1 ms.
  ///   - target: Whose method to call; held weakly.
  ///   - action: The method, such as `Ticker.tick`.
  ///   - userInfo: Whatever the timer shall carry.
  ///   - repeats: Whether the timer goes on after the first fire.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interval is not NaN.
  public convenience init<T: AnyObject>(
    timeInterval interval: TimeInterval, target: T, action: @escaping (T) -> (Loop.Timer) -> Void,
    userInfo: Any? = nil, repeats: Bool, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      after: interval, repeats: repeats, handler: .calling(action), fileID: fileID, line: line)
    bind(to: target)
    if userInfo != nil { madeExtras.userInfo = userInfo }
  }

  /// Makes an alarm at a date of the wall clock that calls a method of a target which it does not keep alive.
  ///
  /// - Parameters:
  ///   - date: When to fire first, by the wall clock however that is set meanwhile.
  ///   - interval: Seconds between fires; only used if the alarm repeats.
  ///   - target: Whose method to call; held weakly.
  ///   - action: The method, such as `Ticker.tick`.
  ///   - userInfo: Whatever the timer shall carry.
  ///   - repeats: Whether it goes on after the first fire.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: Neither the date nor the interval is NaN.
  public convenience init<T: AnyObject>(
    fireAt date: Date, interval: TimeInterval, target: T, action: @escaping (T) -> (Loop.Timer) -> Void,
    userInfo: Any? = nil, repeats: Bool, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      deadline: .max, clock: .wall, repetition: .make(every: interval, if: repeats),
      handler: .calling(action), timeBase: Loop.here.mailbox.number, threadID: Loop.threadHere,
      fileID: fileID, line: line)
    setDeadline(for: date, by: Loop.here)
    bind(to: target)
    if userInfo != nil { madeExtras.userInfo = userInfo }
  }

  /// Makes a timer and adds it to the current loop in the default mode, as Foundation's.
  ///
  /// - Parameters:
  ///   - interval: Seconds on the suspending clock; a repeating one of 0 or less is 0.1 ms.
  ///   - repeats: Whether the timer goes on after the first fire.
  ///   - block: Called with the timer.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interval is not NaN.
  @available(
    *, noasync, message: "a task may change threads; use Loop.main's or a remote's after or schedule"
  )
  @discardableResult
  public static func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool, fileID: StaticString = #fileID,
    line: UInt = #line, block: @escaping (Loop.Timer) -> Void
  ) -> Loop.Timer {
    let timer = Loop.Timer(
      timeInterval: interval, repeats: repeats, fileID: fileID, line: line, block: block)
    Loop.current.add(timer, forMode: .default)
    return timer
  }

  /// Makes a timer that calls a method of a target which it does not keep alive, and adds it to the current loop
  /// in the default mode.
  ///
  /// - Parameters:
  ///   - interval: Seconds on the suspending clock; a repeating one of 0 or less is 0.1 ms.
  ///   - target: Whose method to call; held weakly.
  ///   - action: The method, such as `Ticker.tick`.
  ///   - userInfo: Whatever the timer shall carry.
  ///   - repeats: Whether the timer goes on after the first fire.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interval is not NaN.
  @available(
    *, noasync, message: "a task may change threads; use Loop.main's or a remote's after or schedule"
  )
  @discardableResult
  public static func scheduledTimer<T: AnyObject>(
    timeInterval interval: TimeInterval, target: T, action: @escaping (T) -> (Loop.Timer) -> Void,
    userInfo: Any? = nil, repeats: Bool, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Loop.Timer {
    let timer = Loop.Timer(
      timeInterval: interval, target: target, action: action, userInfo: userInfo, repeats: repeats,
      fileID: fileID, line: line)
    Loop.current.add(timer, forMode: .default)
    return timer
  }

  private convenience init(
    after interval: TimeInterval, repeats: Bool, handler: Handler, fileID: StaticString, line: UInt
  ) {
    guard let delay = Loop.nanoseconds(of: interval) else {
      preconditionFailure("the time interval is not a number: \(interval)")
    }
    let repetition = repeats ? Repetition(seconds: interval) : nil
    let loop = Loop.here
    self.init(
      deadline: saturatingAdd(loop.backend.now(.suspending), max(0, repetition?.interval ?? delay)),
      repetition: repetition, handler: handler, timeBase: Loop.here.mailbox.number, threadID: Loop.threadHere,
      fileID: fileID, line: line)
  }
}

extension Loop.Timer.Repetition {
  /// An interval in seconds; one of 0 or less is 0.1 ms, as Apple documents for `NSTimer`.
  convenience init(seconds: TimeInterval) {
    guard let nanoseconds = Loop.nanoseconds(of: seconds) else {
      preconditionFailure("the time interval is not a number: \(seconds)")
    }
    let interval = Grid.validInterval(nanoseconds)
    self.init(
      interval: interval, seconds: nanoseconds == interval ? seconds : Double(interval) / 1e9,
      policy: .skip)
  }

  /// The repetition of a form that takes an interval and whether to repeat; the interval counts only then.
  static func make(every seconds: TimeInterval, if repeats: Bool) -> Loop.Timer.Repetition? {
    precondition(!seconds.isNaN, "the time interval is not a number: \(seconds)")
    return repeats ? Loop.Timer.Repetition(seconds: seconds) : nil
  }
}

extension Loop.Timer.Handler {
  /// Calls a method of the target.
  static func calling<T: AnyObject>(_ action: @escaping (T) -> (Loop.Timer) -> Void) -> Self {
    // The target is the object that the timer was bound to, whose type the maker has checked.
    .ownedTimer { target, timer in action(unsafeDowncast(target, to: T.self))(timer) }
  }

  /// Calls a closure with the owner.
  static func calling<O: AnyObject>(_ body: @escaping (O, Loop.Pass) -> Void) -> Self {
    .ownedPass { owner, pass in body(unsafeDowncast(owner, to: O.self), pass) }
  }
}
