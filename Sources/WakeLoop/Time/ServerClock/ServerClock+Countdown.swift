extension ServerClock {
  /// The server's time as a clock that countdowns go by; nil before the first sample.
  ///
  /// A countdown to a date ends when the server's time comes to it, and moves with each sample, never early by the
  /// time that is then told; while it runs it keeps this clock alive. One of a duration goes by the continuous clock,
  /// since a corrected date does not make a minute longer. If the samples are forgotten by `reset()`, countdowns go on
  /// by what was known, until the next sample. Loop's thread only.
  public var countdownClock: CountdownClock? {
    guard isSynchronized else { return nil }
    return CountdownClock(
      computedFrom: .continuous, isDated: true,
      reading: { [self] instant in course.time(at: instant) },
      underlying: { [self] time in course.instant(showing: time) },
      observe: { [self] changed in follow(changed) })
  }
}
