/// Conversions between the units that callers use and the loop's nanoseconds.
///
/// What becomes a deadline is rounded up, so that nothing is due before it was asked for, and clamped: `.max`
/// is never, `.min` at once. A `Double` is an exact binary fraction and is treated as one.
package enum TimeConversion {
  /// Seconds from 1970-01-01 to 2001-01-01, the reference date of `Date`.
  package static let referenceDate: Int64 = 978_307_200

  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Nanoseconds in `seconds`, rounded up and clamped; nil for NaN.
  package static func nanoseconds(fromSeconds seconds: Double) -> Int64? {
    nanoseconds(fromSeconds: seconds, since: 0)
  }

  /// Nanoseconds in a duration given by its components, rounded up and clamped.
  package static func nanoseconds(fromSeconds seconds: Int64, attoseconds: Int64) -> Int64 {
    let attosecondsPerNanosecond: Int64 = 1_000_000_000
    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: attosecondsPerNanosecond)
    let fraction = remainder > 0 ? quotient + 1 : quotient
    return sum(wholeSeconds: Int128(seconds), nanoseconds: fraction)
  }

  /// The wall clock's nanoseconds since 1970 at a date given in seconds since 2001, rounded up and clamped; nil
  /// for NaN.
  package static func wallNanoseconds(fromReferenceSeconds seconds: Double) -> Int64? {
    nanoseconds(fromSeconds: seconds, since: referenceDate)
  }

  /// Seconds since 2001 at a reading of the wall clock, as a `Date` holds them.
  ///
  /// For every `Double` whose `wallNanoseconds` have been reached, the result is not less than it.
  ///
  /// - Parameters:
  ///   - wallSeconds: whole seconds since 1970.
  ///   - wallNanoseconds: 0 ..< 1_000_000_000, to be added.
  package static func referenceSeconds(fromWallSeconds wallSeconds: Int64, wallNanoseconds: Int64) -> Double {
    assert(
      (0..<nanosecondsPerSecond).contains(wallNanoseconds), "\(wallNanoseconds) ns is no part of a second")
    let whole = wallSeconds.addingSaturated(-referenceDate)
    // A sum of parts of one sign is safe: a date below the exact value differs from the whole part by a Double,
    // and rounding keeps order, so neither the division nor the sum can fall below it. With parts of different
    // signs that difference may need more bits than a Double has; hence the detour for dates before 2001.
    if whole < 0, wallNanoseconds > 0 {
      let missing = Double(nanosecondsPerSecond - wallNanoseconds) / 1e9
      return Double(whole + 1) - missing
    }
    return Double(whole) + Double(wallNanoseconds) / 1e9
  }

  private static func nanoseconds(fromSeconds seconds: Double, since epoch: Int64) -> Int64? {
    guard !seconds.isNaN else { return nil }
    // Beyond 300 years everything is clamped; this side of it the conversions below are in range.
    guard seconds < 1e11 else { return .max }
    guard seconds > -1e11 else { return .min }
    let whole = Int64(seconds)
    let fraction = fractionRoundedUp(seconds - Double(whole))
    return sum(wholeSeconds: Int128(whole + epoch), nanoseconds: fraction)
  }

  /// Nanoseconds in a fraction of a second, -1 < fraction < 1, rounded up without any error.
  private static func fractionRoundedUp(_ fraction: Double) -> Int64 {
    guard fraction != 0 else { return 0 }
    let isPositive = fraction > 0
    // The fraction is significand × 2^-shift. Far below a nanosecond only its sign counts.
    let exponent = fraction.exponent
    guard exponent > -64 else { return isPositive ? 1 : 0 }
    let significand = fraction.significandBitPattern | (1 << Double.significandBitCount)
    let shift = UInt128(Double.significandBitCount - Int(exponent))
    let product = UInt128(significand) * UInt128(nanosecondsPerSecond)
    let quotient = Int64(product >> shift)
    let isExact = product & ((1 << shift) - 1) == 0
    guard isPositive else { return -quotient }
    return isExact ? quotient : quotient + 1
  }

  private static func sum(wholeSeconds: Int128, nanoseconds: Int64) -> Int64 {
    Int64(clamping: wholeSeconds * Int128(nanosecondsPerSecond) + Int128(nanoseconds))
  }
}
