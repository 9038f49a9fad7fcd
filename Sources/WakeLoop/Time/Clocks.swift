public import FoundationEssentials
import LoopCore
import LoopPlatform

extension Loop {
  /// Reads the clocks, each reading under the name by which it is known elsewhere.
  ///
  /// `Loop.Clocks.system` reads the system's, from any thread; a loop's `clocks` reads those that the loop goes by,
  /// which in a virtual loop are virtual. Every reading is of the present. What all handlers of a pass share is in
  /// the loop's `stamp`.
  ///
  /// | reading | the clock is set | the machine sleeps | the process is stopped | unit, from |
  /// | --- | --- | --- | --- | --- |
  /// | `date`, `absoluteTime`, `unixTime` | follows | goes on | goes on | 1970 or 2001 |
  /// | `mediaTime`, `uptime`, `instant` | unmoved | stands still | goes on | boot |
  /// | `continuousTime` | unmoved | goes on | goes on | boot |
  /// | `bootDate` | follows | unmoved | unmoved | a date |
  public struct Clocks: Sendable {
    /// Reads one clock in nanoseconds; the wall's from 1970.
    let now: @Sendable (ClockDomain) -> Int64

    /// The system's clocks.
    public static let system = Clocks(now: { SystemClock.now($0) })

    /// The wall time, which whoever sets the clock moves: CLOCK_REALTIME.
    public var date: Date { Date(timeIntervalSinceReferenceDate: absoluteTime) }

    /// Seconds of wall time since the first moment of 2001, as `CFAbsoluteTimeGetCurrent()`.
    ///
    /// Whoever sets the clock moves it; leap seconds are not counted.
    public var absoluteTime: TimeInterval {
      let wall = wallParts
      return TimeConversion.referenceSeconds(fromWallSeconds: wall.seconds, wallNanoseconds: wall.nanoseconds)
    }

    /// Seconds since boot that the machine was awake, as `CACurrentMediaTime()`.
    ///
    /// Nothing sets it, and it stands still while the machine sleeps. CLOCK_MONOTONIC.
    public var mediaTime: TimeInterval { Double(now(.suspending)) / 1e9 }

    /// The time since boot that the machine was awake, as `ProcessInfo.systemUptime`.
    ///
    /// The clock of `mediaTime`, exact to the nanosecond.
    public var uptime: Duration { .nanoseconds(now(.suspending)) }

    /// The present on the clock that intervals go by by default: that of `mediaTime`.
    public var instant: Instant { Instant(nanoseconds: now(.suspending)) }

    /// The time since boot, sleep included, as `mach_continuous_time()`.
    ///
    /// Nothing sets it. It is one reading of CLOCK_BOOTTIME, where "now minus the date of boot" takes two, between
    /// which a step of the clock may fall.
    public var continuousTime: Duration { .nanoseconds(now(.continuous)) }

    /// The wall time since the first moment of 1970 in whole seconds and microseconds, as `gettimeofday()`.
    public var unixTime: UnixTime {
      let wall = wallParts
      return UnixTime(seconds: wall.seconds, microseconds: Int32(wall.nanoseconds / 1000))
    }

    /// When the machine was booted, by the wall clock as it is set now; as `kern.boottime`.
    ///
    /// A date in the past that moves whenever the clock is set. Who wants to know how long ago that was asks
    /// `continuousTime`.
    public var bootDate: Date {
      // The wall first: a step between the two readings then shows at most once.
      let wall = now(.wall)
      return Clocks.date(ofWall: wall.subtractingSaturated(now(.continuous)))
    }

    private var wallParts: (seconds: Int64, nanoseconds: Int64) { Clocks.parts(ofWall: now(.wall)) }

    private static func parts(ofWall wall: Int64) -> (seconds: Int64, nanoseconds: Int64) {
      let (seconds, rest) = wall.quotientAndRemainder(dividingBy: 1_000_000_000)
      return rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }

    static func date(ofWall wall: Int64) -> Date {
      let parts = parts(ofWall: wall)
      return Date(
        timeIntervalSinceReferenceDate: TimeConversion.referenceSeconds(
          fromWallSeconds: parts.seconds, wallNanoseconds: parts.nanoseconds))
    }
  }

  /// Wall time in whole seconds since 1970 and the microseconds after them.
  public struct UnixTime: Hashable, Sendable {
    /// Whole seconds since the first moment of 1970.
    public var seconds: Int64
    /// 0 to 999,999, to be added.
    public var microseconds: Int32
  }

  /// The clocks that this loop goes by: the system's, or in a virtual loop virtual ones.
  ///
  /// Loop's thread only; what it returns goes anywhere.
  public var clocks: Clocks {
    checkThread()
    let mailbox = mailbox
    return Clocks(now: { mailbox.now($0) })
  }
}
