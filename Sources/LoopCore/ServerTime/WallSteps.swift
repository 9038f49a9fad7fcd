/// Notices when the wall clock was set, by comparing it with the continuous clock.
package struct WallSteps: Equatable, Sendable {
  private var instant: Int64
  private var low: Int64
  private var high: Int64
  /// How often it was set since the last forgetting.
  package private(set) var count = 0
  /// By how many nanoseconds it was set in total, forward positive.
  package private(set) var total: Int64 = 0

  /// Starts from three readings: the continuous clock, the wall, and the continuous clock again.
  ///
  /// The wall was read at some moment between the other two: a thread that was put aside there sees no step.
  package init(before: Int64, wall: Int64, after: Int64) {
    instant = after
    low = wall.addingSaturated(-after)
    high = wall.addingSaturated(-before)
  }

  /// Compares with three new readings.
  package mutating func note(before: Int64, wall: Int64, after: Int64) {
    let new = WallSteps(before: before, wall: wall, after: after)
    // A millisecond is no step that anybody means, and what clocks may be slewed by is none.
    let allowed = ClockDrift.growth(over: after - instant, drift: ClockDrift.greatest) + 1_000_000
    if new.low > high.addingSaturated(allowed) || new.high < low.addingSaturated(-allowed) {
      count += 1
      let difference = Int128(new.low) + Int128(new.high) - Int128(low) - Int128(high)
      total = total.addingSaturated(Int64(clamping: difference / 2))
    }
    (instant, low, high) = (new.instant, new.low, new.high)
  }

  /// Forgets the steps noticed so far.
  package mutating func forget() {
    count = 0
    total = 0
  }
}
