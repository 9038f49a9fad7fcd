/// Evenly spaced instants, called beats, that reach without end in both directions from `origin`.
///
/// Each beat is computed from the one that is asked about in whole intervals, so phase is kept for ever. No
/// value of any argument traps: what lies beyond the range of `Int64` is `.max` or `.min`.
package struct Grid: Sendable, Equatable {
  /// What an interval of zero or less becomes, in nanoseconds: 0.1 ms.
  package static let leastInterval: Int64 = 100_000

  /// One of the beats, in nanoseconds.
  package var origin: Int64
  /// The distance of two beats in nanoseconds, at least 1.
  package let interval: Int64

  /// Makes a grid; an interval of zero or less becomes 0.1 ms.
  package init(origin: Int64, interval: Int64) {
    self.origin = origin
    self.interval = Self.validInterval(interval)
  }

  /// The interval that is used where `interval` was asked for: itself, or 0.1 ms if it is not positive.
  package static func validInterval(_ interval: Int64) -> Int64 { interval > 0 ? interval : leastInterval }

  /// The first beat strictly after `instant`, `.max` if there is none in range.
  package func beat(after instant: Int64) -> Int64 {
    instant.addingSaturated(interval - offset(of: instant))
  }

  /// The first beat not before `instant`, `.max` if there is none in range.
  package func beat(atOrAfter instant: Int64) -> Int64 {
    let offset = offset(of: instant)
    return offset == 0 ? instant : instant.addingSaturated(interval - offset)
  }

  /// The last beat not after `instant`, `.min` if there is none in range.
  package func beat(atOrBefore instant: Int64) -> Int64 {
    let (beat, overflow) = instant.subtractingReportingOverflow(offset(of: instant))
    return overflow ? .min : beat
  }

  /// How many beats lie after `start` and not after `end`; 0 if `end` is not after `start`.
  package func beatCount(after start: Int64, through end: Int64) -> Int {
    guard end > start else { return 0 }
    // Beats in (start, end] = whole intervals from the last beat not after `start` to `end`. The sum may
    // pass 2^64, so its carry counts; then the interval is at least 2 and the quotient fits.
    let distance = end.distance(after: start)
    let (sum, carry) = distance.addingReportingOverflow(UInt64(offset(of: start)))
    let divisor = UInt64(interval)
    let beats = carry ? divisor.dividingFullWidth((1, sum)).quotient : sum / divisor
    return Int(clamping: beats)
  }

  /// How far `instant` is after the last beat not after it: 0 ..< interval.
  package func offset(of instant: Int64) -> Int64 {
    let divisor = UInt64(interval)
    if instant >= origin {
      return Int64(instant.distance(after: origin) % divisor)
    }
    let before = Int64(origin.distance(after: instant) % divisor)
    return before == 0 ? 0 : interval - before
  }
}
