/// Which of the rates that divide a display's is wanted.
///
/// A display of 60 Hz offers 60, 30, 20, 15 … Hz: its rate divided by 1, 2, 3, 4 …
package struct FrameRatePreference: Sendable, Equatable {
  /// Hertz; 0 is no limit.
  package let minimum: Double
  /// Hertz; infinity is no limit.
  package let maximum: Double
  /// Hertz, within the limits; infinity is as fast as they allow.
  package let preferred: Double

  /// One frame in this many refreshes is the slowest that is offered.
  package static let greatestDivisor: Int64 = 1_000_000_000

  /// Makes a preference out of what was asked for.
  ///
  /// What is not a positive number says nothing. A maximum below the minimum is the minimum; a preferred rate
  /// outside of the limits is the nearer limit.
  package init(minimum: Double = 0, maximum: Double = 0, preferred: Double = 0) {
    self.minimum = minimum > 0 ? minimum : 0
    self.maximum = maximum > 0 ? max(maximum, self.minimum) : .infinity
    let wanted = preferred > 0 ? preferred : .infinity
    self.preferred = min(max(wanted, self.minimum), self.maximum)
  }

  /// How many refreshes of a display make one frame.
  ///
  /// Of the rates that it offers within the limits, the one nearest to the preferred; halfway between two, the
  /// higher. If it offers none within the limits, the nearest of all. A limit counts as kept up to one part in
  /// a hundred, so that 60 means a display of 59.94 Hz too.
  package func divisor(displayRate: Double) -> Int64 {
    guard displayRate.isFinite, displayRate > 0, preferred < displayRate else { return 1 }
    let quotient = displayRate / preferred
    guard quotient < Double(Self.greatestDivisor) else { return Self.greatestDivisor }
    // Of all rates the nearest on either side of the preferred.
    let faster = Int64(quotient)
    let slower = faster + 1
    let fasterRate = displayRate / Double(faster)
    let slowerRate = displayRate / Double(slower)
    let fasterFits = fasterRate <= maximum * 1.01
    let slowerFits = slowerRate >= minimum * 0.99
    if fasterFits != slowerFits { return fasterFits ? faster : slower }
    return fasterRate - preferred <= preferred - slowerRate ? faster : slower
  }
}
