public import FoundationEssentials
import LoopCore
import LoopPlatform

extension Loop {
  /// What a pass records when it wakes: two readings of the same moment and the pass's number.
  ///
  /// A plain value: keep one and compare. All handlers of a pass read equal stamps.
  public struct Stamp: Hashable, Sendable {
    /// The wall time at which the pass woke.
    public let wakeDate: Date

    /// The time of the suspending clock at which the pass woke, read just before the wall's.
    public let wakeInstant: Instant

    /// How many stamps the loop had taken, this one included.
    public let iteration: UInt64

    init(wakeDate: Date, wakeInstant: Instant, iteration: UInt64) {
      self.wakeDate = wakeDate
      self.wakeInstant = wakeInstant
      self.iteration = iteration
    }
  }

  /// The wall time shared by everything that runs in this pass; outside a run, the present.
  ///
  /// Loop's thread only.
  public var wakeDate: Date { stamp.wakeDate }

  /// The time of the suspending clock shared by everything that runs in this pass; outside a run, the present.
  ///
  /// Loop's thread only.
  public var wakeInstant: Instant { stamp.wakeInstant }

  /// The number of the stamp that holds now.
  ///
  /// It grows by one with each stamp that the loop takes. Loop's thread only.
  public var iteration: UInt64 { stamp.iteration }

  /// The stamp that holds now: this pass's in a run; outside a run, the present under the last number.
  ///
  /// Loop's thread only.
  public var stamp: Stamp {
    checkThread()
    return runs.isEmpty ? present() : currentStamp
  }

  func present() -> Stamp {
    let readings = backend.readClocks()
    return Stamp(readings, iteration: iterations)
  }

  /// Takes a stamp: the one place where a pass's now comes from.
  func takeStamp() {
    let readings = backend.readClocks()
    assert(readings.suspending >= currentReadings.suspending, "the monotonic clock went back")
    noteWall(readings)
    iterations &+= 1
    currentReadings = readings
    currentStamp = Stamp(readings, iteration: iterations)
    // Read here and not when it is first asked for: observers may take their time before.
    if let run = runs.last, run.record.usesOtherClocks || (run.record.isCommon && common.usesOtherClocks) {
      _ = continuousNow
    }
    publishStamp()
  }

  /// Makes the current stamp readable from anywhere on the thread.
  func publishStamp() {
    ThreadState.setStamp(
      wakeDate: currentStamp.wakeDate.timeIntervalSinceReferenceDate,
      wakeInstant: currentStamp.wakeInstant.nanoseconds, iteration: currentStamp.iteration)
  }

  /// Counts a step of the wall clock: a change against the monotonic clock beyond what slewing may do.
  private func noteWall(_ readings: ClockReadings) {
    let offset = readings.wall &- readings.suspending
    let elapsed = readings.suspending &- currentReadings.suspending
    // 500 ppm is the most that a kernel slews a clock by; a millisecond covers the time between two reads.
    let allowed = elapsed / 2000 &+ 1_000_000
    if abs(offset &- wallOffset) > allowed { wallSteps &+= 1 }
    wallOffset = offset
  }
}

extension Loop.Stamp {
  init(_ readings: ClockReadings, iteration: UInt64) {
    let seconds = TimeConversion.referenceSeconds(
      fromWallSeconds: readings.wallSeconds, wallNanoseconds: readings.wallNanoseconds)
    self.init(
      wakeDate: Date(timeIntervalSinceReferenceDate: seconds),
      wakeInstant: Loop.Instant(nanoseconds: readings.suspending), iteration: iteration)
  }
}

extension Date {
  /// The wall time shared by everything that runs in this pass of the loop that runs on this thread.
  ///
  /// Readable from anywhere on the thread, however deep the call chain; where no loop runs, the present.
  public static var wake: Date {
    let seconds = ThreadState.wakeDate
    return seconds.isNaN ? Date() : Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// The seconds from the pass's shared now to this date, negative if it has passed.
  ///
  /// The twin of `timeIntervalSinceNow`, which reads the clock anew at each call.
  public var timeIntervalSinceWake: TimeInterval {
    timeIntervalSinceReferenceDate - Date.wake.timeIntervalSinceReferenceDate
  }
}
