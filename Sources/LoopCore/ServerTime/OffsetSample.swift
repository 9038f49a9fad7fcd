/// What one exchange with a server says of the difference between its clock and the continuous one.
///
/// An offset is the server's time, in nanoseconds since 1970, minus the continuous clock's reading. The server
/// looked at its clock at some moment between sending and receiving; nobody knows when, so that an exchange
/// gives an interval in which the offset lies, and its middle is the guess that errs least.
package struct OffsetSample: Equatable, Sendable {
  /// The reading of the continuous clock at which the bounds hold.
  package private(set) var instant: Int64
  package private(set) var low: Int64
  /// The upper bound; only assumed if `highIsAssumed`.
  package private(set) var high: Int64
  /// The likeliest offset, within the bounds.
  package let best: Int64
  /// Whether nothing but an assumption about delays speaks for the upper bound.
  package let highIsAssumed: Bool

  init(instant: Int64, low: Int64, high: Int64, best: Int64, highIsAssumed: Bool) {
    assert(low <= best && best <= high, "\(best) is not within \(low)...\(high)")
    self.instant = instant
    self.low = low
    self.high = high
    self.best = best
    self.highIsAssumed = highIsAssumed
  }

  /// Takes a full exchange; nil if its times contradict each other or are absurd.
  ///
  /// - Parameters:
  ///   - sent: the continuous clock when the question left.
  ///   - serverReceived: the server's clock when it had the question.
  ///   - serverSent: the server's clock when its answer left; the same if it tells one time only.
  ///   - received: the continuous clock when the answer was there.
  ///   - serverError: by how much the server's times may be wrong either way, in nanoseconds.
  ///   - drift: how far the clocks may part, in nanoseconds a second.
  package init?(
    sent: Int64, serverReceived: Int64, serverSent: Int64, received: Int64, serverError: Int64 = 0,
    drift: Int64 = ClockDrift.greatest
  ) {
    guard
      ServerTimeRange.holds(server: serverReceived), ServerTimeRange.holds(server: serverSent),
      ServerTimeRange.holds(local: sent), ServerTimeRange.holds(local: received),
      sent <= received, serverReceived <= serverSent, (0...ServerTimeRange.error).contains(serverError)
    else { return nil }
    // The clocks part while the exchange is under way, too.
    let slack = serverError + ClockDrift.growth(over: received - sent, drift: drift)
    let low = serverSent - received - slack
    let high = serverReceived - sent + slack
    // The server can't have worked for longer than the exchange took.
    guard low <= high else { return nil }
    self.init(
      instant: received, low: low, high: high, best: low + (high - low) / 2, highIsAssumed: false)
  }

  /// Half the width of the interval.
  package var error: Int64 { max(high - best, best - low) }

  /// The same statement about another moment, less exact by what the clocks may have parted.
  func moved(to other: Int64, drift: Int64) -> OffsetSample {
    var moved = self
    let growth = ClockDrift.growth(over: other - instant, drift: drift)
    moved.instant = other
    moved.low -= growth
    moved.high += growth
    return moved
  }
}

/// How far two clocks part.
package enum ClockDrift {
  /// The most that an ordinary clock is fast or slow, and that a kernel slews it by: 500 parts in a million.
  package static let greatest: Int64 = 500_000

  /// Nanoseconds that two clocks may part by over so many nanoseconds, either way, rounded up.
  ///
  /// - Parameter drift: nanoseconds a second.
  package static func growth(over elapsed: Int64, drift: Int64) -> Int64 {
    let second: Int128 = 1_000_000_000
    let product = Int128(elapsed.magnitude) * Int128(drift)
    return Int64(clamping: (product + second - 1) / second)
  }
}

/// Times that arithmetic on offsets can't overflow with.
package enum ServerTimeRange {
  /// Errors up to 36 years.
  static let error: Int64 = 1 << 60

  /// Tells whether a server's time is between 1970 and 2116.
  package static func holds(server time: Int64) -> Bool { (0...(1 << 62)).contains(time) }

  /// Tells whether a reading of the continuous clock is not negative and below 73 years.
  package static func holds(local time: Int64) -> Bool { (0...(1 << 61)).contains(time) }
}
