/// The refreshes of an evenly paced display, numbered from 0 at the origin and without end in both directions.
///
/// Refresh k is at the first whole nanosecond not before origin + k / rate. It is computed from k each time, so
/// that it is never early, and off by less than a nanosecond however large k is.
package struct FrameGrid: Sendable, Equatable {
  /// The instant of refresh 0, in nanoseconds.
  package let origin: Int64
  package let rate: FrameRate

  /// The largest parts of a rate with which no product leaves 128 bits.
  package static let largestPart: Int64 = 1 << 32

  package init(origin: Int64, rate: FrameRate) {
    precondition(
      rate.frames <= Self.largestPart && rate.seconds <= Self.largestPart,
      "\(rate.frames) refreshes in \(rate.seconds) seconds are too many for a grid")
    self.origin = origin
    self.rate = rate
  }

  /// The instant of a refresh in nanoseconds, clamped to the range.
  package func instant(of refresh: Int64) -> Int64 {
    // Rounded up: minus the floor of what is negated.
    let offset = -floorDivide(-(Int128(refresh) * rate.span), Int128(rate.frames))
    return Int64(clamping: Int128(origin) + offset)
  }

  /// The last refresh that is not after an instant.
  package func refresh(atOrBefore instant: Int64) -> Int64 {
    let offset = Int128(instant) - Int128(origin)
    return Int64(clamping: floorDivide(offset * Int128(rate.frames), rate.span))
  }

  /// The first refresh that is not before an instant.
  package func refresh(atOrAfter instant: Int64) -> Int64 {
    // The one after the last that is at least a nanosecond earlier.
    let offset = Int128(instant) - Int128(origin) - 1
    return Int64(clamping: floorDivide(offset * Int128(rate.frames), rate.span) + 1)
  }
}

/// The quotient rounded towards minus infinity; the divisor is positive.
@inline(__always)
private func floorDivide(_ dividend: Int128, _ divisor: Int128) -> Int128 {
  let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}
