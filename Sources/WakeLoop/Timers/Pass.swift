public import FoundationEssentials

extension Loop {
  /// What a handler is told of the pass in which it is called.
  public struct Pass: Sendable {
    /// The pass's stamp; all handlers of the pass are given an equal one.
    public let stamp: Stamp
    /// How many beats have passed without a call since the last call.
    public internal(set) var missed: Int
    /// The timer that is called.
    public let timer: Timer
    private let lateNanoseconds: Int64

    init(_ stamp: Stamp, missed: Int, late: Int64, timer: Timer) {
      self.stamp = stamp
      self.missed = missed
      self.timer = timer
      lateNanoseconds = late
    }

    /// The wall time of the pass.
    public var date: Date { stamp.wakeDate }

    /// The time of the pass on the suspending clock.
    public var instant: Instant { stamp.wakeInstant }

    /// The number of the pass.
    public var iteration: UInt64 { stamp.iteration }

    /// How long after it was due, by its own clock, the pass woke that calls the timer; never negative.
    public var late: Duration { .nanoseconds(lateNanoseconds) }

    /// When the timer was due.
    public var due: Instant {
      Instant(nanoseconds: saturatingSubtract(stamp.wakeInstant.nanoseconds, lateNanoseconds))
    }
  }
}
