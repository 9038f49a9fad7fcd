/// A rate as an exact ratio: so many frames in so many seconds.
package struct FrameRate: Sendable, Equatable {
  /// How many frames there are in `seconds`, at least 1.
  package let frames: Int64
  /// In how many seconds, at least 1.
  package let seconds: Int64

  /// Nanoseconds in `seconds`: the distance of two frames times `frames`.
  var span: Int128 { Int128(seconds) * 1_000_000_000 }

  /// Makes a rate and reduces the ratio; both parts must be positive.
  package init(frames: Int64, seconds: Int64) {
    precondition(frames > 0 && seconds > 0, "\(frames) frames in \(seconds) seconds are no rate")
    let divisor = Self.greatestCommonDivisor(frames, seconds)
    self.frames = frames / divisor
    self.seconds = seconds / divisor
  }

  /// Makes a rate from hertz, taken to a millionth; nil below 0.001 Hz and above 1 MHz.
  package init?(hertz: Double) {
    guard hertz >= 0.001, hertz <= 1_000_000 else { return nil }
    self.init(frames: Int64((hertz * 1_000_000).rounded()), seconds: 1_000_000)
  }

  /// Makes the rate of one frame every so many nanoseconds, at least 1.
  package init(period: Int64) {
    self.init(frames: 1_000_000_000, seconds: max(1, period))
  }

  /// Frames a second.
  package var hertz: Double { Double(frames) / Double(seconds) }

  /// The distance of two frames in nanoseconds, to the nearest one and at least 1.
  package var period: Int64 {
    let frames = Int128(frames)
    return max(1, Int64(clamping: (span + frames / 2) / frames))
  }

  private static func greatestCommonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
    var (larger, smaller) = (first, second)
    while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
    return larger
  }
}
