/// The offset of a server's clock, as all samples together tell it.
///
/// It keeps an interval that contains the offset as long as each sample and the bound on drift are true. The
/// interval widens with time; a sample cuts it. Both its bounds and its guess can only gain by a slow sample:
/// the guess is then moved no further than into the cut interval, which brings it nearer to whatever the
/// interval contains. A sample that is at least as exact as what is known re-centres the guess.
///
/// A sample that contradicts the rest changes nothing at first, but is kept as a rival, and the error stated
/// covers both. Should the next sample agree with the rival, the server's clock was set: the rival takes over.
package struct OffsetEstimate: Equatable, Sendable {
  /// What a sample was good for.
  package enum Verdict: Equatable, Sendable {
    /// It narrowed the interval.
    case refined
    /// It agreed and said nothing new.
    case kept
    /// It contradicts what was known.
    case disputed
    /// It confirmed a rival, or disproved an assumption: the estimate starts from it.
    case replaced
  }

  private var known: OffsetSample
  package private(set) var rival: OffsetSample?
  /// Nanoseconds a second by which the clocks may part.
  package let drift: Int64

  package init(_ first: OffsetSample, drift: Int64 = ClockDrift.greatest) {
    precondition((0...100_000_000).contains(drift), "a drift of \(drift) ns a second is no clock's")
    known = first
    self.drift = drift
  }

  /// The likeliest offset.
  package var best: Int64 { known.best }

  /// Whether the upper bound is only assumed, since no exchange has been measured yet.
  package var isAssumed: Bool { known.highIsAssumed }

  /// The interval in which the offset lies at an instant of the continuous clock.
  package func bounds(at instant: Int64) -> ClosedRange<Int64> {
    let known = known.moved(to: instant, drift: drift)
    guard let rival = rival?.moved(to: instant, drift: drift) else { return known.low...known.high }
    return min(known.low, rival.low)...max(known.high, rival.high)
  }

  /// By how much an offset shown may differ from the true one at an instant of the continuous clock.
  package func error(ofShowing shown: Int64, at instant: Int64) -> Int64 {
    let bounds = bounds(at: instant)
    let above = (Int128(bounds.upperBound) - Int128(shown)).magnitude
    let below = (Int128(shown) - Int128(bounds.lowerBound)).magnitude
    return Int64(clamping: max(above, below))
  }

  /// Takes a sample into account.
  package mutating func take(_ sample: OffsetSample) -> Verdict {
    let instant = max(known.instant, sample.instant)
    let sample = sample.moved(to: instant, drift: drift)
    let known = known.moved(to: instant, drift: drift)
    if sample.highIsAssumed { return takeLone(sample, known) }

    let high = known.highIsAssumed ? sample.high : min(known.high, sample.high)
    let low = max(known.low, sample.low)
    guard low <= high else { return dispute(sample) }
    rival = nil
    let recentres = known.highIsAssumed || sample.error <= known.error
    let isNew = low > known.low || high < known.high || recentres
    guard isNew else {
      self.known = known
      return .kept
    }
    self.known = OffsetSample(
      instant: instant, low: low, high: high,
      best: recentres ? low + (high - low) / 2 : min(max(known.best, low), high), highIsAssumed: false)
    return .refined
  }

  /// Takes a server time without a round trip, whose delay is unknown: only its lower bound is certain.
  private mutating func takeLone(_ sample: OffsetSample, _ known: OffsetSample) -> Verdict {
    if sample.low > known.high {
      guard known.highIsAssumed else { return dispute(sample) }
      self.known = sample
      return .replaced
    }
    self.known = known
    guard sample.low > known.low else { return .kept }
    self.known = OffsetSample(
      instant: known.instant, low: sample.low, high: known.high, best: max(known.best, sample.low),
      highIsAssumed: known.highIsAssumed)
    return .refined
  }

  private mutating func dispute(_ sample: OffsetSample) -> Verdict {
    if let rival = rival?.moved(to: sample.instant, drift: drift), rival.low <= sample.high,
      sample.low <= rival.high
    {
      let low = max(rival.low, sample.low)
      let high = min(rival.high, sample.high)
      known = OffsetSample(
        instant: sample.instant, low: low, high: high, best: low + (high - low) / 2,
        highIsAssumed: sample.highIsAssumed && rival.highIsAssumed)
      self.rival = nil
      return .replaced
    }
    rival = sample
    return .disputed
  }
}
