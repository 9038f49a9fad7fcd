import LoopCore
import LoopPlatform

extension Loop {
  /// A moment on the suspending clock, which stands still while the machine sleeps.
  ///
  /// Nanoseconds of CLOCK_MONOTONIC. Arithmetic stops at the ends of the range instead of trapping.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds of the clock.
    public var nanoseconds: Int64

    /// Makes the instant at a reading of the clock in nanoseconds.
    public init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }

    /// The present by the system's clock, from any thread.
    ///
    /// Inside a pass, `Loop.wakeInstant` is the now that all handlers share.
    public static var now: Instant { Instant(nanoseconds: SystemClock.now(.suspending)) }

    /// The instant that never comes.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// Returns the instant after a duration, rounded up to whole nanoseconds and clamped to the range.
    public func advanced(by duration: Duration) -> Instant {
      Instant(nanoseconds: saturatingAdd(nanoseconds, duration.clampedNanoseconds))
    }

    /// Returns the duration from this instant to another, negative if that is earlier.
    public func duration(to other: Instant) -> Duration {
      Duration.nanoseconds(saturatingSubtract(other.nanoseconds, nanoseconds))
    }

    /// Tells whether one instant is earlier than another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }
}

extension Duration {
  /// Nanoseconds, rounded up and clamped to the range of `Int64`.
  @inline(__always)
  var clampedNanoseconds: Int64 {
    let attoseconds = attoseconds
    // Durations of everyday length take one division by the machine; the others all the words they need.
    guard attoseconds >= 0, attoseconds < Self.everyday else {
      let (seconds, rest) = components
      return TimeConversion.nanoseconds(fromSeconds: seconds, attoseconds: rest)
    }
    let words = UInt128(truncatingIfNeeded: attoseconds)
    let (quotient, remainder) = Self.attosecondsPerNanosecond.dividingFullWidth(
      (UInt64(truncatingIfNeeded: words >> 64), UInt64(truncatingIfNeeded: words)))
    return Int64(truncatingIfNeeded: quotient) &+ (remainder == 0 ? 0 : 1)
  }

  private static var attosecondsPerNanosecond: UInt64 { 1_000_000_000 }
  /// Below it the nanoseconds fit into 62 bits.
  private static var everyday: Int128 { 1_000_000_000 << 62 }
}

/// Adds without trapping: beyond the range lies its end.
@inline(__always)
func saturatingAdd(_ left: Int64, _ right: Int64) -> Int64 {
  let (sum, overflow) = left.addingReportingOverflow(right)
  return overflow ? (right < 0 ? .min : .max) : sum
}

/// Subtracts without trapping: beyond the range lies its end.
@inline(__always)
func saturatingSubtract(_ left: Int64, _ right: Int64) -> Int64 {
  let (difference, overflow) = left.subtractingReportingOverflow(right)
  return overflow ? (right < 0 ? .max : .min) : difference
}
