public import FoundationEssentials
internal import LoopCore
public import WakeLoop

/// A loop whose time moves only when told, or jumps to the next thing due.
///
/// Its ``loop`` is an ordinary `Loop` with the same passes; what it waits for is not the kernel but this
/// object. A run of it sleeps no real time: where the real loop would wait, the clocks are moved at once to
/// the first instant at which something is due. So `virtual.loop.run()` plays a year in a moment and ends as
/// the real one would, and ``advance(by:mode:)`` plays exactly so much time and no more.
///
/// ```swift
/// let virtual = VirtualLoop()
/// var beats = 0
/// virtual.loop.schedule(every: .seconds(1)) { _ in beats += 1 }
/// virtual.advance(by: .seconds(3600))
/// // beats == 3600
/// ```
///
/// Handlers take no time unless they call ``block(for:)``. Descriptors are scripted: any number may be watched
/// and is ready when the script says so. The system's clocks do not follow: `Loop.Instant.now` and `Date()`
/// are real, ``now`` and ``wallDate`` are the virtual present, and inside a pass `wakeInstant`, `wakeDate` and
/// `Date.wake` are the pass's.
///
/// Another thread may post through the loop's remote, but which virtual time it then is, is left to chance. A
/// program that schedules work for now without end keeps time from moving and is stopped after a million
/// passes. All members are for the thread that made it.
public final class VirtualLoop {
  /// The loop that lives in virtual time; it ends with this object.
  public let loop: Loop

  package let backend: VirtualBackend

  /// The first moment of 2026 in UTC, at which virtual wall clocks start unless told otherwise.
  public static let startDate = Date(timeIntervalSince1970: 1_767_225_600)

  /// Makes a loop in virtual time, for this thread.
  ///
  /// The suspending clock starts at 1,000 s, the continuous one at 5,000 s, so that who mixes them up finds out.
  ///
  /// - Parameters:
  ///   - wallDate: what the wall clock starts at, rounded up to nanoseconds.
  ///   - clockResolution: the step in which all clocks tick; at least a nanosecond.
  /// - Precondition: both are numbers in range.
  public init(
    wallDate: Date = VirtualLoop.startDate, clockResolution: Duration = .nanoseconds(1)
  ) {
    let seconds = wallDate.timeIntervalSinceReferenceDate
    guard let wall = TimeConversion.wallNanoseconds(fromReferenceSeconds: seconds) else {
      preconditionFailure("wallDate is \(seconds), which is no date")
    }
    backend = VirtualBackend(wall: wall, resolution: nanoseconds(clockResolution, "clockResolution"))
    let published = backend.published
    loop = Loop(backend: backend, clock: { published.now($0) })
  }

  deinit {
    loop.close()
  }

  /// The virtual present on the suspending clock.
  public var now: Loop.Instant { Loop.Instant(nanoseconds: backend.now(.suspending)) }

  /// The virtual present on the wall clock.
  public var wallDate: Date {
    let readings = backend.readClocks()
    return Date(
      timeIntervalSinceReferenceDate: TimeConversion.referenceSeconds(
        fromWallSeconds: readings.wallSeconds, wallNanoseconds: readings.wallNanoseconds))
  }
}

/// Nanoseconds in a duration, which must not be negative; rounded up and clamped.
func nanoseconds(_ duration: Duration, _ argument: String) -> Int64 {
  precondition(duration >= .zero, "\(argument) is \(duration): it can't be negative")
  return signedNanoseconds(duration)
}

/// Nanoseconds in a duration, rounded up and clamped.
func signedNanoseconds(_ duration: Duration) -> Int64 {
  let (seconds, attoseconds) = duration.components
  return TimeConversion.nanoseconds(fromSeconds: seconds, attoseconds: attoseconds)
}
