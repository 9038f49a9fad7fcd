/// Turns elapsed time into whole steps of a fixed length and keeps the rest.
///
/// Exact: the rest is a whole number of parts of a nanosecond, so that steps at 60 Hz are 60 in each second for
/// ever. A step that lacks less than a nanosecond is due: times between instants in whole nanoseconds lack as much
/// now and then, and steps at the rate of a display would come as none and two in turn.
package struct StepAccumulator: Sendable, Equatable {
  package let rate: FrameRate
  /// The most steps that one advance gives, at least 1.
  package let maximumSteps: Int
  /// The time not yet given out, in nanoseconds times `rate.frames`: less than a step, and more than minus a
  /// nanosecond.
  private var rest: Int128 = 0

  package init(rate: FrameRate, maximumSteps: Int) {
    self.rate = rate
    self.maximumSteps = max(1, maximumSteps)
  }

  /// Takes in elapsed nanoseconds, of which negative ones are none.
  ///
  /// - Returns: the whole steps due, at most the maximum, and how many beyond it were dropped.
  package mutating func advance(by elapsed: Int64) -> (steps: Int, dropped: Int) {
    let total = rest + Int128(max(0, elapsed)) * Int128(rate.frames)
    let whole = (total + Int128(rate.frames) - 1) / rate.span
    rest = total - whole * rate.span
    let steps = min(whole, Int128(maximumSteps))
    return (Int(steps), Int(clamping: whole - steps))
  }

  /// How much of the next step has passed: 0 ..< 1.
  package var fraction: Double {
    // A step may have been given out early by a part of a nanosecond, and a rest just short of one may round up.
    min(max(0, Double(rest) / Double(rate.span)), 1.0.nextDown)
  }

  /// Forgets the rest.
  package mutating func reset() { rest = 0 }
}
