import LoopCore

/// A continuous clock and a server's that runs a little fast or slow against it: the truth that is to be found.
struct TwoClocks {
  private(set) var local: Int64 = 5_000_000_000_000
  /// Nanoseconds a second by which the server's clock gains.
  private var rate: Int64 = 0
  private var anchorLocal: Int64 = 5_000_000_000_000
  private var anchorServer: Int64

  init(server: Int64, rate: Int64) {
    anchorServer = server
    self.rate = rate
  }

  /// The server's clock, rounded down.
  var server: Int64 {
    let elapsed = Int128(local - anchorLocal)
    return anchorServer + Int64(elapsed + elapsed * Int128(rate) / 1_000_000_000)
  }

  var offset: Int64 { server - local }

  mutating func pass(_ nanoseconds: Int64) { local += nanoseconds }

  mutating func setRate(_ new: Int64) {
    (anchorServer, anchorLocal) = (server, local)
    rate = new
  }

  mutating func stepServer(by nanoseconds: Int64) {
    (anchorServer, anchorLocal) = (server + nanoseconds, local)
  }

  /// A full exchange, whose times are all true.
  mutating func exchange(out: Int64, work: Int64, back: Int64) throws -> OffsetSample {
    let sent = local
    pass(out)
    let arrival = server
    pass(work)
    let departure = server
    pass(back)
    // A nanosecond for the server's rounding.
    guard
      let sample = OffsetSample(
        sent: sent, serverReceived: arrival, serverSent: departure, received: local, serverError: 1)
    else { throw RefusedExchange() }
    return sample
  }

  struct RefusedExchange: Error {}
}
