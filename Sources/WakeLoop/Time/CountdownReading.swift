import LoopCore

/// What a countdown shows at a moment.
public struct CountdownReading: Hashable, Sendable {
  /// The whole units of the resolution that remain, rounded up; 0 when nothing does.
  public let count: Int64
  /// What remains exactly, at the now of the pass in which it is told; never negative.
  public let remaining: Duration
  /// The unit.
  public let resolution: Duration
  private let resolutionNanoseconds: Int64

  init(count: Int64, remaining: Int64, units: RemainingUnits) {
    self.count = count
    self.remaining = .nanoseconds(remaining)
    resolution = .nanoseconds(units.resolution)
    resolutionNanoseconds = units.resolution
  }

  init(_ units: RemainingUnits, at now: Int64, until end: Int64) {
    self.init(
      count: units.count(at: now, until: end), remaining: max(0, saturatingSubtract(end, now)), units: units)
  }

  /// Whether nothing remains.
  public var isOver: Bool { count == 0 }

  /// What is shown, as a duration: `count` units.
  public var shown: Duration { .nanoseconds(shownNanoseconds) }

  private var shownNanoseconds: Int64 {
    let (product, overflow) = count.multipliedReportingOverflow(by: resolutionNanoseconds)
    return overflow ? .max : product
  }

  /// What is shown, as text: `59 s`, `01:05`, `2 d 03:04:05`.
  ///
  /// Made from integers alone, without a formatter or a locale. Resolutions below a second are written with the
  /// decimal places that they need, up to three.
  public func text(_ form: TimeText = .clock) -> String {
    form.form.text(ofNanoseconds: shownNanoseconds, digits: digits)
  }

  private var digits: Int {
    let part = resolutionNanoseconds % 1_000_000_000
    if part == 0 { return 0 }
    if part % 100_000_000 == 0 { return 1 }
    return part % 10_000_000 == 0 ? 2 : 3
  }
}
