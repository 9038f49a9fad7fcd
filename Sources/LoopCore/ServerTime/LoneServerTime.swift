/// What to make of a server's time that came by itself, so that nobody knows how long it was under way.
package struct LoneServerTime: Equatable, Sendable {
  /// The longest delay believed in, in nanoseconds; also how far the wall clock may be off and be trusted.
  package let longestDelay: Int64

  package init(longestDelay: Int64) {
    precondition(longestDelay >= 0, "a delay can't be \(longestDelay) ns")
    self.longestDelay = min(longestDelay, ServerTimeRange.error / 2)
  }

  /// Tells whether the wall clock is near enough to the server's time for the difference to be the delay.
  package func trusts(wall: Int64, server: Int64) -> Bool {
    let difference = Int128(wall) - Int128(server)
    return difference.magnitude <= UInt128(longestDelay)
  }

  /// The sample for a server time that was there at an instant of the continuous clock; nil for absurd times.
  ///
  /// If the wall clock can be trusted, what it is ahead counts as the delay. It can't be behind by a delay; if
  /// it is, or is not trusted, the server's time is taken as it came.
  /// - Parameter serverError: by how much the server's time may be wrong either way, in nanoseconds.
  package func sample(server: Int64, serverError: Int64 = 0, wall: Int64, instant: Int64) -> OffsetSample? {
    guard
      ServerTimeRange.holds(server: server), ServerTimeRange.holds(local: instant),
      (0...ServerTimeRange.error).contains(serverError)
    else { return nil }
    let offset = server - instant
    let delay = trusts(wall: wall, server: server) ? max(0, wall - server) : 0
    return OffsetSample(
      instant: instant, low: offset - serverError, high: offset + longestDelay + serverError,
      best: offset + delay, highIsAssumed: true)
  }
}
