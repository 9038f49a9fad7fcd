import Glibc

extension SystemClock {
  /// Another clock than the monotonic one.
  package enum OtherClock {
    /// CLOCK_MONOTONIC_RAW.
    case raw
    /// CLOCK_BOOTTIME.
    case continuous
    /// CLOCK_REALTIME.
    case wall
  }

  /// By how many nanoseconds another clock is ahead of the monotonic one now.
  ///
  /// Read between two readings of that, so that it is off by no more than half of what lies between them.
  package static func offset(of other: OtherClock) -> Int64 {
    let clock =
      switch other {
      case .raw: CLOCK_MONOTONIC_RAW
      case .continuous: CLOCK_BOOTTIME
      case .wall: CLOCK_REALTIME
      }
    let before = now(.suspending)
    var time = timespec()
    clock_gettime(clock, &time)
    let after = now(.suspending)
    let reading = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    return reading &- (before &+ (after &- before) / 2)
  }
}
