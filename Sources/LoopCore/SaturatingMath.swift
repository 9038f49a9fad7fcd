extension Int64 {
  /// The sum, `.max` or `.min` where it is out of range.
  @inline(__always)
  package func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other > 0 ? .max : .min
  }

  /// The difference, `.max` or `.min` where it is out of range.
  @inline(__always)
  package func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    guard overflow else { return difference }
    return other < 0 ? .max : .min
  }

  /// How far this instant is after `earlier`, which must not be later: exact, since it fits 64 bits unsigned.
  @inline(__always)
  func distance(after earlier: Int64) -> UInt64 {
    assert(earlier <= self, "\(earlier) is after \(self)")
    return UInt64(bitPattern: self &- earlier)
  }
}
