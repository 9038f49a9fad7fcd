import CLoopShims
import Glibc
package import LoopCore

/// The kernel's clocks.
package enum SystemClock {
  /// Reads one clock in nanoseconds; the wall's count from 1970.
  package static func now(_ clock: ClockDomain) -> Int64 {
    wl_clock_now(Int32(clock.rawValue))
  }

  /// Reads the monotonic clock and then the wall clock.
  ///
  /// In this order, so that the true wall time at the monotonic reading is never after the one told.
  package static func readings() -> ClockReadings {
    let suspending = now(.suspending)
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    return ClockReadings(
      suspending: suspending, wallSeconds: Int64(wall.tv_sec), wallNanoseconds: Int64(wall.tv_nsec))
  }
}
