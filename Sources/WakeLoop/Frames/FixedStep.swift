import LoopCore

/// Turns the time between frames into whole steps of a simulation, which always have the same length.
///
/// A simulation in fixed steps gives the same result whatever the frame rate is. What is left of the time after
/// the last whole step is told as `fraction`, to draw between the last two states. A step that lacks less than a
/// nanosecond is due, so that steps at the rate of an even display are one a frame.
///
/// ```swift
/// var steps = FixedStep(hz: 120)
/// let link = FrameLink { frame in
///   let due = steps.advance(to: frame.timestamp)
///   for _ in 0..<due.count { world.step() }
///   world.draw(between: due.fraction)
/// }
/// ```
public struct FixedStep: Sendable {
  /// What is due at an instant.
  public struct Due: Hashable, Sendable {
    /// How many steps to make now.
    public let count: Int
    /// How much of the step after them has passed, 0 ..< 1.
    public let fraction: Double
    /// How many steps there were beyond the most that are made at once; they are never made.
    public let dropped: Int
  }

  private var accumulator: StepAccumulator
  private var last: Loop.Instant?

  /// Makes steps of a length.
  ///
  /// - Parameters:
  ///   - step: A nanosecond at least.
  ///   - maximumSteps: The most that are due at once, at least 1: after a stall the simulation is slow for a
  ///     moment instead of being busy for ever with catching up.
  public init(_ step: Duration, maximumSteps: Int = 8) {
    let nanoseconds = step.clampedNanoseconds
    precondition(nanoseconds > 0, "step is \(step): a step takes a nanosecond at least")
    accumulator = StepAccumulator(rate: FrameRate(period: nanoseconds), maximumSteps: maximumSteps)
  }

  /// Makes so many steps a second, exactly.
  ///
  /// - Parameters:
  ///   - hz: Taken to a millionth of a hertz.
  ///   - maximumSteps: The most that are due at once, at least 1.
  public init(hz: Double, maximumSteps: Int = 8) {
    guard let rate = FrameRate(hertz: hz) else {
      preconditionFailure("hz is \(hz): a rate lies between 0.001 and 1,000,000 Hz")
    }
    accumulator = StepAccumulator(rate: rate, maximumSteps: maximumSteps)
  }

  /// Goes on to an instant, such as a frame's timestamp; the first one is where time begins.
  ///
  /// An instant before the last one is the last one.
  public mutating func advance(to instant: Loop.Instant) -> Due {
    let from = last ?? instant
    last = max(from, instant)
    return advance(by: from.duration(to: instant))
  }

  /// Goes on by a time; a negative one is none.
  public mutating func advance(by elapsed: Duration) -> Due {
    let (count, dropped) = accumulator.advance(by: elapsed.clampedNanoseconds)
    return Due(count: count, fraction: accumulator.fraction, dropped: dropped)
  }

  /// Begins anew: what has passed of a step, and the last instant, are forgotten.
  public mutating func reset() {
    accumulator.reset()
    last = nil
  }
}
