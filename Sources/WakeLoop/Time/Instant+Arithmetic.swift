// The standard library gives these operators to its own clocks' instants only.
extension Loop.Instant {
  /// Returns the instant after a duration, clamped to the range.
  public static func + (instant: Loop.Instant, duration: Duration) -> Loop.Instant {
    instant.advanced(by: duration)
  }

  /// Returns the instant a duration earlier, clamped to the range.
  public static func - (instant: Loop.Instant, duration: Duration) -> Loop.Instant {
    instant.advanced(by: .zero - duration)
  }

  /// Returns the duration from the right instant to the left one, negative if the left one is earlier.
  public static func - (left: Loop.Instant, right: Loop.Instant) -> Duration {
    right.duration(to: left)
  }

  /// Moves an instant on by a duration, clamped to the range.
  public static func += (instant: inout Loop.Instant, duration: Duration) {
    instant = instant + duration
  }

  /// Moves an instant back by a duration, clamped to the range.
  public static func -= (instant: inout Loop.Instant, duration: Duration) {
    instant = instant - duration
  }
}
