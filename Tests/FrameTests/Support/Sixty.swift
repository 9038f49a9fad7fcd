import WakeLoop
import WakeLoopTesting

/// The refreshes of a 60 Hz grid, by plain arithmetic: refresh k is k / 60 s after the origin, rounded up.
struct Sixty {
  let origin: Loop.Instant

  func instant(_ refresh: Int) -> Loop.Instant {
    origin + .nanoseconds((Int64(refresh) * 1_000_000_000 + 59) / 60)
  }

  /// The number of a refresh by its instant, nil if that is none.
  func number(_ instant: Loop.Instant) -> Int? {
    let guess = Int(((instant - origin) / .seconds(1) * 60).rounded())
    return self.instant(guess) == instant ? guess : nil
  }
}
