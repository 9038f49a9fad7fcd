import LoopCore

/// Counts up: start, pause, lap, reset.
///
/// A value: a copy goes on by itself. It goes on while the machine sleeps, unless made otherwise, and no setting
/// of the clock moves it. It costs nothing while it runs; whoever displays it asks `elapsed` when drawing.
public struct Stopwatch: Sendable {
  /// A stretch of the time.
  public struct Lap: Hashable, Sendable {
    /// 1 for the first.
    public let number: Int
    /// How long it took, pauses not counted.
    public let duration: Duration
    /// The time from the start of the first lap to the end of this one, pauses not counted.
    public let total: Duration
  }

  /// The laps that were taken, the oldest first.
  public private(set) var laps: [Lap] = []
  private let clocks: Loop.Clocks
  private let clock: ClockDomain
  /// Nanoseconds counted before the last start.
  private var counted: Int64 = 0
  /// The reading of the clock at the last start, nil while it stands.
  private var startedAt: Int64?

  /// Makes a stopwatch that stands at zero.
  ///
  /// - Parameters:
  ///   - countsSleep: whether the time in which the machine sleeps counts.
  ///   - clocks: what to read; a loop's `clocks` for one in that loop's time.
  public init(countsSleep: Bool = true, clocks: Loop.Clocks = .system) {
    self.clocks = clocks
    clock = countsSleep ? .continuous : .suspending
  }

  /// Whether it counts.
  public var isRunning: Bool { startedAt != nil }

  /// The time counted so far, pauses not counted; exact to the nanosecond.
  public var elapsed: Duration { .nanoseconds(elapsedNanoseconds) }

  private var elapsedNanoseconds: Int64 {
    guard let startedAt else { return counted }
    return counted.addingSaturated(clocks.now(clock).subtractingSaturated(startedAt))
  }

  /// Starts counting, or goes on after a pause; on one that counts already it changes nothing.
  public mutating func start() {
    if startedAt == nil { startedAt = clocks.now(clock) }
  }

  /// Stops counting until the next start; on one that stands it changes nothing.
  public mutating func pause() {
    counted = elapsedNanoseconds
    startedAt = nil
  }

  /// Ends a lap and begins the next.
  @discardableResult
  public mutating func lap() -> Lap {
    let total = elapsed
    let lap = Lap(number: laps.count + 1, duration: total - (laps.last?.total ?? .zero), total: total)
    laps.append(lap)
    return lap
  }

  /// Goes back to zero and forgets the laps; one that counts goes on from there.
  public mutating func reset() {
    laps = []
    counted = 0
    if startedAt != nil { startedAt = clocks.now(clock) }
  }

  /// The time counted so far as text, in whole units of `digits` decimal places of a second.
  ///
  /// Rounded down: a stopwatch shows what has passed.
  public func text(_ form: TimeText = .clock, digits: Int = 0) -> String {
    precondition((0...9).contains(digits), "a second is shown with 0 to 9 digits, not with \(digits)")
    var unit: Int64 = 1_000_000_000
    for _ in 0..<digits { unit /= 10 }
    let elapsed = elapsedNanoseconds
    return form.form.text(ofNanoseconds: elapsed - elapsed % unit, digits: digits)
  }
}

/// The forms in which a time is written, from integers alone: no locale, no formatter.
public enum TimeText: Hashable, Sendable {
  /// `59 s`, `3605 s`.
  case seconds
  /// `00:59`, and `1:00:05` from the first hour on.
  case clock
  /// `00:00:59`, and `2 d 03:04:05` from the first day on.
  case days

  var form: CountdownText {
    switch self {
    case .seconds: .seconds
    case .clock: .clock
    case .days: .days
    }
  }
}
