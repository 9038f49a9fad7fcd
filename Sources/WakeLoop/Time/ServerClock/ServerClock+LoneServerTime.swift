import LoopCore

extension ServerClock {
  /// What to make of a server's time that came by itself, so that nobody knows how long it was under way.
  ///
  /// If the wall clock is ahead of it by no more than the longest delay believed in, the difference is taken for the
  /// delay: the wall clock tells the time. If it is further off, the wall clock is not believed, and the server's
  /// time is taken as it came. So it is if the wall clock is behind, which no delay can explain.
  ///
  /// The bound told is the longest delay; it is an assumption (``Reading/isAssumed``) until an answer is measured.
  public struct LoneServerTime: Hashable, Sendable {
    /// The longest delay believed in.
    public let longestDelay: Duration
    /// Whether the wall clock is asked.
    public let trustsWall: Bool

    /// Believes a wall clock that is within three seconds of the server's time.
    public static let withinThreeSeconds = within(.seconds(3))

    /// Believes a wall clock that is within a delay of the server's time.
    ///
    /// - Precondition: The delay is not negative.
    public static func within(_ longestDelay: Duration) -> LoneServerTime {
      precondition(longestDelay >= .zero, "longestDelay is \(longestDelay): it can't be negative")
      return LoneServerTime(longestDelay: longestDelay, trustsWall: true)
    }

    /// Takes the server's time as it came, and never asks the wall clock.
    ///
    /// - Parameter longestDelay: How late it may have been, for the bound told.
    /// - Precondition: The delay is not negative.
    public static func asItCame(longestDelay: Duration = .seconds(3)) -> LoneServerTime {
      precondition(longestDelay >= .zero, "longestDelay is \(longestDelay): it can't be negative")
      return LoneServerTime(longestDelay: longestDelay, trustsWall: false)
    }

    var rule: LoopCore.LoneServerTime {
      LoopCore.LoneServerTime(longestDelay: longestDelay.clampedNanoseconds)
    }
  }
}
