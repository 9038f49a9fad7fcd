/// Turns elapsed time into whole steps of a fixed length and keeps the rest.
///
/// Exact: the rest is a whole number of parts of a nanosecond, so that steps at 60 Hz are 60 in each second for
/// ever.
package struct StepAccumulator: Sendable, Equatable {
  package let rate: FrameRate
  /// The most steps that one advance gives, at least 1.
  package let maximumSteps: Int
  /// The time not yet given out, in nanoseconds times `rate.frames`; always less than a step.
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
    let (whole, left) = total.quotientAndRemainder(dividingBy: rate.span)
    rest = left
    let steps = min(whole, Int128(maximumSteps))
    return (Int(steps), Int(clamping: whole - steps))
  }

  /// How much of the next step has passed: 0 ..< 1.
  package var fraction: Double {
    // A rest just short of a step may round up to one.
    min(Double(rest) / Double(rate.span), 1.0.nextDown)
  }

  /// Forgets the rest.
  package mutating func reset() { rest = 0 }
}
