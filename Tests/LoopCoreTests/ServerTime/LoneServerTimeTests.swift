import LoopCore
import Testing

@Suite("A server time without a round trip")
struct LoneServerTimeTests {
  private let second: Int64 = 1_000_000_000
  private let start: Int64 = 1_767_225_600_000_000_000
  private let rule = LoneServerTime(longestDelay: 3_000_000_000)

  @Test("a wall clock ahead by up to three seconds shows the delay")
  func near() throws {
    for ahead in [0, 1, second, 3 * second] {
      let sample = try #require(rule.sample(server: start, wall: start + ahead, instant: 500))
      #expect(sample.best == start + ahead - 500)
      #expect(sample.low == start - 500)
      #expect(sample.high == start + 3 * second - 500)
      #expect(rule.trusts(wall: start + ahead, server: start))
    }
  }

  @Test("a wall clock further off is not trusted: the server's time counts")
  func far() throws {
    for off in [3 * second + 1, 3600 * second, -3 * second - 1, -315_360_000 * second] {
      let sample = try #require(rule.sample(server: start, wall: start + off, instant: 500))
      #expect(sample.best == start - 500)
      #expect(!rule.trusts(wall: start + off, server: start))
    }
  }

  @Test("a wall clock a little behind can't be so by a delay: the server's time counts")
  func behind() throws {
    let sample = try #require(rule.sample(server: start, wall: start - second, instant: 500))
    #expect(sample.best == start - 500)
    #expect(rule.trusts(wall: start - second, server: start))
  }

  @Test("a later lone time only raises the lower bound, and one that came slowly changes nothing")
  func several() throws {
    var estimate = OffsetEstimate(
      try #require(rule.sample(server: start, wall: start + 9 * second, instant: 0)), drift: 0)
    let slow = try #require(rule.sample(server: start - second, wall: start + 9 * second, instant: 0))
    #expect(estimate.take(slow) == .kept)
    #expect(estimate.best == start)
    let quick = try #require(rule.sample(server: start + second, wall: start + 9 * second, instant: 0))
    #expect(estimate.take(quick) == .refined)
    #expect(estimate.best == start + second)
    #expect(estimate.bounds(at: 0) == start + second...start + 3 * second)
    let falsifying = try #require(rule.sample(server: start + 4 * second, wall: start, instant: 0))
    #expect(estimate.take(falsifying) == .replaced)
    #expect(estimate.best == start + 4 * second)
  }

  @Test("a measured exchange does away with the assumption about the delay")
  func measured() throws {
    var estimate = OffsetEstimate(
      try #require(rule.sample(server: start, wall: start + 9 * second, instant: 0)), drift: 0)
    // The lone time had been under way for a minute.
    let exchange = try #require(
      OffsetSample(
        sent: 0, serverReceived: start + 60 * second, serverSent: start + 60 * second, received: 10, drift: 0)
    )
    #expect(estimate.take(exchange) == .refined)
    #expect(estimate.best == start + 60 * second - 5)
    #expect(!estimate.isAssumed)
  }

  @Test("an absurd server time gives no sample")
  func absurd() {
    #expect(rule.sample(server: .max, wall: start, instant: 0) == nil)
    #expect(rule.sample(server: .min, wall: start, instant: 0) == nil)
    #expect(!rule.trusts(wall: .max, server: .min))
  }
}
