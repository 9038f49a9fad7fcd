public import FoundationEssentials
import LoopCore
import LoopPlatform

/// Tells a server's time, which nobody can falsify by setting the local clock.
///
/// It keeps the difference between the server's time and the continuous clock, which no setting of the wall clock
/// moves and which goes on while the machine sleeps. The difference comes from samples: of the sources that were
/// added, or given by hand. Each sample bounds it, and the clock says how wrong it may be.
///
/// ```swift
/// let clock = ServerClock(on: loop)
/// clock.add(SNTPSource(try ServerClock.Endpoint("192.0.2.1", port: 123)))
/// clock.schedule(at: saleBegins) { _ in openTheDoors() }
/// ```
///
/// The time read never goes back. A correction back slows it down to half its speed until it is made, a small one
/// forward makes it half as fast again; one forward of more than a second is made at once. The stated bound counts
/// what is still to be corrected.
///
/// All members are for the loop's thread only. The clock owns its sources and alarms: they end with it.
public final class ServerClock {
  /// The loop by whose clocks the server's time is told, and on which sources and alarms act.
  public let loop: Loop
  /// How far the continuous clock and the server's may part, in nanoseconds a second.
  let drift: Int64
  var estimate: OffsetEstimate?
  var shown: SlewedOffset? {
    didSet { if let shown { lastShown = shown } }
  }
  /// What was shown last, which countdowns go on by when the samples have been forgotten.
  private var lastShown: SlewedOffset?
  var wallSteps: WallSteps
  /// When the last sample was taken, by the continuous clock.
  var sampledAt: Int64?
  /// The continuous time of passes, as it was found when it was first asked for there.
  private var passTimes = PassTimes()
  var sources: [Source] = []
  var alarms: [Alarm] = []
  /// Called after each sample, with what it was good for.
  public var onSample: ((_ clock: ServerClock, _ outcome: Outcome) -> Void)?
  /// What follows the time shown; told when its course has changed.
  var followers: [Int: () -> Void] = [:]
  var lastFollower = 0

  /// Makes a clock that knows no time yet.
  ///
  /// - Parameters:
  ///   - loop: The loop of this thread, real or virtual.
  ///   - partsPerMillion: By how much the two clocks may run apart: the stated bound grows by it. Quartz clocks
  ///     are good for 100, and a kernel slews a clock by up to 500.
  /// - Precondition: `partsPerMillion` is within 0 and 100,000.
  public init(on loop: Loop, drift partsPerMillion: Double = 500) {
    precondition(
      (0...100_000).contains(partsPerMillion),
      "drift is \(partsPerMillion) parts in a million: it must be within 0 and 100,000")
    loop.checkThread()
    self.loop = loop
    drift = Int64((partsPerMillion * 1000).rounded(.up))
    let before = loop.backend.now(.continuous)
    let wall = loop.backend.now(.wall)
    wallSteps = WallSteps(before: before, wall: wall, after: loop.backend.now(.continuous))
  }

  deinit {
    for source in sources { source.end() }
    for alarm in alarms { alarm.end() }
  }

  // MARK: Readings

  /// A server time and how wrong it may be.
  public struct Reading: Hashable, Sendable {
    /// The server's time, in nanoseconds since the first moment of 1970.
    public let nanosecondsSince1970: Int64
    /// By how much it may differ from the true one, either way, if the samples and the drift bound are true.
    public let errorBound: Duration
    /// Whether the bound is only assumed, since no answer to a question has been measured yet.
    public let isAssumed: Bool

    /// The server's time, to the accuracy of a `Date`, which is a tenth of a microsecond.
    public var date: Date { Loop.Clocks.date(ofWall: nanosecondsSince1970) }
  }

  /// The server's time at present, nil before the first sample.
  ///
  /// What all handlers of a pass are to agree on is in `wakeReading`.
  public var reading: Reading? { reading(at: continuousNow) }

  /// The server's time that everything in this pass shares, nil before the first sample.
  ///
  /// The twin of `Loop.wakeDate`. It stays the same for the whole pass once it was asked for; outside a run it is
  /// the present.
  public var wakeReading: Reading? {
    loop.checkThread()
    if loop.runs.isEmpty { return reading }
    if let known = passTimes.reading(of: loop.iteration) { return known }
    // Read after the stamp: sleep that fell between the two is taken for sleep before it.
    let slept = saturatingSubtract(loop.backend.now(.continuous), loop.backend.now(.suspending))
    guard let reading = reading(at: saturatingAdd(loop.currentReadings.suspending, slept)) else { return nil }
    passTimes.keep(reading, of: loop.iteration, depth: loop.runs.count)
    return reading
  }

  /// The server's date at present, nil before the first sample.
  public var date: Date? { reading?.date }

  /// The server's date that everything in this pass shares, nil before the first sample.
  public var wakeDate: Date? { wakeReading?.date }

  /// Whether a sample was taken, so that the server's time can be told.
  public var isSynchronized: Bool {
    loop.checkThread()
    return shown != nil
  }

  /// How long ago the last sample was taken, sleep included; nil before the first.
  public var timeSinceSample: Duration? {
    let now = continuousNow
    return sampledAt.map { .nanoseconds(now - $0) }
  }

  /// Whether the last sample contradicts those before: the server's clock was set, or somebody is lying.
  ///
  /// The time told is the old one until the next sample decides; the bound covers both.
  public var isDisputed: Bool {
    loop.checkThread()
    return estimate?.rival != nil
  }

  /// The course of time that countdowns go by.
  ///
  /// - Precondition: There was a sample.
  var course: SlewedOffset {
    guard let lastShown else {
      preconditionFailure("a server clock without a sample has no time to count by")
    }
    return lastShown
  }

  var continuousNow: Int64 {
    loop.checkThread()
    return loop.backend.now(.continuous)
  }

  func reading(at instant: Int64) -> Reading? {
    guard let estimate, let shown else { return nil }
    let offset = shown.offset(at: instant)
    return Reading(
      nanosecondsSince1970: instant + offset,
      errorBound: .nanoseconds(estimate.error(ofShowing: offset, at: instant)), isAssumed: estimate.isAssumed)
  }
}
