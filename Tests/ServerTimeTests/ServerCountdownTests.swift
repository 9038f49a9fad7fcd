import FoundationEssentials
import LoopCore
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Countdowns by server time")
struct ServerCountdownTests {
  @Test("there is nothing to count by before the first sample")
  func noSample() {
    let server = VirtualServer()
    #expect(ServerClock(on: server.loop).countdownClock == nil)
  }

  @Test("a countdown ends when the server's time has come, however the local clock is set")
  func localClockIsSet() throws {
    let server = VirtualServer(ahead: .seconds(-86_400))
    let clock = ServerClock(on: server.loop, drift: 0)
    server.ask(clock, out: .zero, back: .zero)
    let end = server.truth + 60_000_000_000
    var values: [Int64] = []
    var ended: Int64?
    let countdown = Countdown(
      until: server.date(in: .seconds(60)), clock: try #require(clock.countdownClock), on: server.loop
    ) {
      values.append(Int64($0.count))
    } onFinish: {
      ended = server.truth
    }
    countdown.start()
    server.virtual.stepWallClock(by: .seconds(-3600), at: server.virtual.now + .seconds(10))
    server.virtual.stepWallClock(by: .seconds(86_400), at: server.virtual.now + .seconds(20))
    server.virtual.advance(by: .seconds(100))
    #expect(abs((ended ?? 0) - end) < 10_000)
    // The first is 60 or 61: the date is kept to a fraction of a microsecond.
    #expect(values.suffix(61) == Array((0...60).reversed())[...])
    #expect(values.count <= 62)
  }

  @Test(
    "random samples, steps and sleeps: values only fall unless time told falls back, and it is never early")
  func randomLives() throws {
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let server = VirtualServer(rate: Int64.random(in: -500_000...500_000, using: &random))
      let clock = ServerClock(on: server.loop)
      server.ask(clock, out: .milliseconds(100), back: .milliseconds(10))
      let date = server.date(in: .seconds(Int64.random(in: 1...5000, using: &random)))
      var values: [Int64] = []
      var ends = 0
      var earlyBy: Double?
      let countdown = Countdown(
        until: date, clock: try #require(clock.countdownClock), on: server.loop
      ) {
        values.append(Int64($0.count))
      } onFinish: {
        ends += 1
        if let now = clock.date, now < date { earlyBy = date.timeIntervalSince(now) }
      }
      countdown.start()
      for _ in 0..<40 {
        switch random.next() % 5 {
        case 0: server.virtual.advance(by: .nanoseconds(Int64.random(in: 0...(1 << 38), using: &random)))
        case 1:
          server.virtual.sleepMachine(for: .nanoseconds(Int64.random(in: 0...(1 << 38), using: &random)))
        case 2:
          server.virtual.stepWallClock(
            by: .seconds(Int64.random(in: -315_360_000...315_360_000, using: &random)))
        case 3: server.virtual.block(for: .nanoseconds(Int64.random(in: 0...(1 << 34), using: &random)))
        default:
          server.ask(
            clock, out: .nanoseconds(Int64.random(in: 0...(1 << 31), using: &random)),
            back: .nanoseconds(Int64.random(in: 0...(1 << 31), using: &random)))
        }
      }
      server.virtual.advance(by: .seconds(10_000))
      #expect(ends == 1, "seed \(seed)")
      #expect(earlyBy == nil, "seed \(seed)")
      #expect(values.last == 0, "seed \(seed)")
      // The time told never goes back, so that nothing is shown twice or goes up.
      let falls = zip(values, values.dropFirst()).allSatisfy { $0 > $1 }
      #expect(falls, "seed \(seed): \(values)")
    }
  }

  @Test("a countdown that was cancelled no longer follows the clock, and one that runs keeps it alive")
  func lettingGo() throws {
    let server = VirtualServer()
    var clock: ServerClock? = ServerClock(on: server.loop)
    let isGone = { [weak clock] in clock == nil }
    server.ask(clock!, out: .zero, back: .zero)
    var countdown: Countdown? = Countdown(
      until: server.date(in: .seconds(60)), clock: try #require(clock?.countdownClock), on: server.loop,
      onTick: { _ in })
    countdown?.start()
    clock = nil
    #expect(!isGone())
    countdown?.cancel()
    countdown = nil
    #expect(isGone())
    #expect(server.loop.items.isEmpty)
  }
}
