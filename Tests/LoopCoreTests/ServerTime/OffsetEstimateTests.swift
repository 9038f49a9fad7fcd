import LoopCore
import Testing

@Suite("Offset of a server's clock")
struct OffsetEstimateTests {
  private let second: Int64 = 1_000_000_000
  private let millisecond: Int64 = 1_000_000
  private let start: Int64 = 1_767_225_600_000_000_000

  private func instantAnswer(sent: Int64, server: Int64, received: Int64, error: Int64 = 0) -> OffsetSample? {
    OffsetSample(
      sent: sent, serverReceived: server, serverSent: server, received: received, serverError: error, drift: 0
    )
  }

  @Test("one exchange puts the server's time in the middle, give or take half the round trip")
  func midpoint() throws {
    let sample = try #require(instantAnswer(sent: 1000, server: 50_000, received: 1200))
    #expect(sample.best == 50_000 - 1100)
    #expect(sample.error == 100)
    #expect(sample.low == 50_000 - 1200)
    #expect(sample.high == 50_000 - 1000)
  }

  @Test("a server whose clock is behind has a negative offset")
  func negativeOffset() throws {
    let sample = try #require(
      instantAnswer(sent: 9000 * second, server: 10 * second, received: 9000 * second))
    #expect(sample.best == -8990 * second)
    #expect(OffsetEstimate(sample, drift: 0).best == -8990 * second)
  }

  @Test("what the server took to answer does not count against the exchange")
  func serverWork() throws {
    let sample = try #require(
      OffsetSample(
        sent: 0, serverReceived: start, serverSent: start + 5 * second, received: 5 * second + 200, drift: 0))
    #expect(sample.error == 100)
    #expect(sample.best == start - 100)
  }

  @Test("times that contradict each other give no sample")
  func contradictions() {
    #expect(instantAnswer(sent: 10, server: 50, received: 9) == nil)
    #expect(instantAnswer(sent: -1, server: 50, received: 9) == nil)
    #expect(instantAnswer(sent: 0, server: .max, received: 9) == nil)
    #expect(instantAnswer(sent: 0, server: -1, received: 9) == nil)
    #expect(instantAnswer(sent: 0, server: 5, received: .max) == nil)
    #expect(instantAnswer(sent: 0, server: 5, received: 9, error: -1) == nil)
    let backwards = OffsetSample(sent: 0, serverReceived: 6, serverSent: 5, received: 100)
    #expect(backwards == nil)
    let longer = OffsetSample(
      sent: 0, serverReceived: start, serverSent: start + second, received: second / 2)
    #expect(longer == nil)
  }

  @Test("a slow sample moves neither the guess nor the bound of an exact one")
  func slowSample() throws {
    let exact = try #require(instantAnswer(sent: 0, server: start + millisecond, received: 2 * millisecond))
    var estimate = OffsetEstimate(exact, drift: 0)
    // Five seconds under way, all of them on the way back.
    let slow = try #require(instantAnswer(sent: second, server: start + second, received: 6 * second))
    let error = estimate.error(ofShowing: estimate.best, at: 6 * second)
    #expect(estimate.take(slow) == .refined)
    #expect(estimate.best == exact.best)
    #expect(estimate.error(ofShowing: estimate.best, at: 6 * second) <= error)
  }

  @Test(
    "a contradiction changes nothing at once, widens the bound, and is forgotten when the next disagrees with it"
  )
  func dispute() throws {
    var clocks = TwoClocks(server: start, rate: 0)
    var estimate = try OffsetEstimate(clocks.exchange(out: 1000, work: 0, back: 1000))
    let best = estimate.best
    var liar = clocks
    liar.stepServer(by: 3600 * second)
    #expect(try estimate.take(liar.exchange(out: 1000, work: 0, back: 1000)) == .disputed)
    #expect(estimate.best == best)
    #expect(estimate.error(ofShowing: best, at: liar.local) >= 3599 * second)
    clocks.pass(second)
    _ = try estimate.take(clocks.exchange(out: 1000, work: 0, back: 1000))
    #expect(estimate.rival == nil)
    #expect(estimate.error(ofShowing: estimate.best, at: clocks.local) < millisecond)
  }

  @Test("a server whose clock was set is believed at the second sample")
  func serverStep() throws {
    var clocks = TwoClocks(server: start, rate: 0)
    var estimate = try OffsetEstimate(clocks.exchange(out: 1000, work: 0, back: 1000))
    clocks.stepServer(by: -60 * second)
    clocks.pass(second)
    #expect(try estimate.take(clocks.exchange(out: 1000, work: 0, back: 1000)) == .disputed)
    clocks.pass(second)
    #expect(try estimate.take(clocks.exchange(out: 1000, work: 0, back: 1000)) == .replaced)
    #expect(abs(estimate.best - clocks.offset) < millisecond)
  }

  @Test(
    "random exchanges: the truth is within the bound, and no exchange makes guess and bound worse than itself"
  )
  func randomExchanges() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var clocks = TwoClocks(server: start, rate: Int64.random(in: -500_000...500_000, using: &random))
      var estimate = try OffsetEstimate(clocks.exchange(out: 40 * millisecond, work: 0, back: 0))
      for step in 0..<200 {
        // Pauses of a moment, of hours of sleep, or none.
        clocks.pass(Int64.random(in: 0...(1 << Int64.random(in: 0...45, using: &random)), using: &random))
        if step % 20 == 19 { clocks.setRate(Int64.random(in: -500_000...500_000, using: &random)) }
        func delay() -> Int64 {
          Int64.random(in: 0...(1 << Int64.random(in: 10...33, using: &random)), using: &random)
        }
        let (out, work, back) = (delay(), delay() / 8, delay())
        let sample = try clocks.exchange(out: out, work: work, back: back)
        let before = estimate
        _ = estimate.take(sample)
        let now = clocks.local
        let error = estimate.error(ofShowing: estimate.best, at: now)
        let context =
          "seed \(seed), step \(step): error \(abs(estimate.best - clocks.offset)), bound \(error)"
        if !estimate.bounds(at: now).contains(clocks.offset) { Issue.record("\(context)") }
        if estimate.rival != nil { Issue.record("\(context): disputed") }
        if error > before.error(ofShowing: before.best, at: now) { Issue.record("\(context): bound worse") }
        // A nanosecond for the rounding of a middle.
        if error > sample.error + 1 { Issue.record("\(context): worse than the sample's \(sample.error)") }
        if sample.error > before.error(ofShowing: before.best, at: now),
          abs(estimate.best - clocks.offset) > abs(before.best - clocks.offset)
        {
          Issue.record("\(context): a slow sample made it worse")
        }
      }
    }
  }

  @Test("samples taken in another order than they were made still hold the truth")
  func disorder() throws {
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var clocks = TwoClocks(server: start, rate: Int64.random(in: -500_000...500_000, using: &random))
      var samples: [OffsetSample] = []
      for _ in 0..<50 {
        clocks.pass(Int64.random(in: 0...(100 * second), using: &random))
        samples.append(
          try clocks.exchange(
            out: Int64.random(in: 0...second, using: &random), work: 0,
            back: Int64.random(in: 0...second, using: &random)))
      }
      samples.shuffle(using: &random)
      var estimate = OffsetEstimate(samples[0])
      for sample in samples.dropFirst() { _ = estimate.take(sample) }
      #expect(estimate.bounds(at: clocks.local).contains(clocks.offset), "seed \(seed)")
    }
  }

  @Test("the bound grows with the drift while nobody asks")
  func growth() throws {
    let estimate = try OffsetEstimate(#require(instantAnswer(sent: 0, server: start, received: 0)))
    #expect(estimate.error(ofShowing: estimate.best, at: 0) == 0)
    #expect(estimate.error(ofShowing: estimate.best, at: 3600 * second) == 1_800_000_000)
  }
}
