/// What a countdown shows: the time that remains, in whole units of its resolution, rounded up.
///
/// Rounded up, so that a minute shows 60 for its first second and 0 only when nothing is left:
///
/// ```
/// remaining   3 s       2 s       1 s       0
/// shown       3    ->   2    ->   1    ->   0          each value once, from its boundary on
/// ```
///
/// Boundaries lie whole units before the end, so a countdown that starts in the middle of a unit has a short
/// first one, and none ever drifts. All instants are nanoseconds of one clock; an end of `.max` is never.
package struct RemainingUnits: Sendable, Equatable {
  /// Nanoseconds in a unit, at least 1.
  package let resolution: Int64

  /// Makes the arithmetic of a resolution in nanoseconds, which must be positive.
  package init(resolution: Int64) {
    precondition(resolution > 0, "a countdown can't have a resolution of \(resolution) ns")
    self.resolution = resolution
  }

  /// The units that remain at `now`: 0 from `end` on, clamped where they are too many to count.
  package func count(at now: Int64, until end: Int64) -> Int64 {
    guard end > now else { return 0 }
    let distance = end.distance(after: now)
    let (whole, rest) = distance.quotientAndRemainder(dividingBy: UInt64(resolution))
    return Int64(clamping: rest == 0 ? whole : whole + 1)
  }

  /// The first instant at which fewer than `count` units remain; `.max` where there is none.
  package func boundary(below count: Int64, until end: Int64) -> Int64 {
    guard count > 0, end != .max else { return .max }
    return Int64(clamping: Int128(end) - (Int128(count) - 1) * Int128(resolution))
  }
}
