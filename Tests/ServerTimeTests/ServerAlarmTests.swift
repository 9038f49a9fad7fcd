import FoundationEssentials
import LoopCore
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Alarms by server time")
struct ServerAlarmTests {
  @Test("an alarm comes at its server date, however the local clock is set and the machine sleeps")
  func comesInTime() {
    let server = VirtualServer(ahead: .seconds(3600))
    let clock = ServerClock(on: server.loop, drift: 0)
    server.ask(clock, out: .zero, back: .zero)
    let date = server.date(in: .seconds(600))
    let start = server.continuous
    var came: [Int64] = []
    clock.schedule(at: date) { _ in came.append(server.continuous - start) }
    server.virtual.stepWallClock(by: .seconds(-3600), at: server.virtual.now + .seconds(10))
    server.virtual.sleepMachine(for: .seconds(100), at: server.virtual.now + .seconds(20))
    server.virtual.advance(by: .seconds(1000))
    #expect(came.count == 1)
    #expect(abs((came.first ?? 0) - 600_000_000_000) < 10_000)
  }

  @Test("one that passes while the machine sleeps comes on waking")
  func onWaking() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    server.ask(clock, out: .zero, back: .zero)
    var calls = 0
    clock.schedule(at: server.date(in: .seconds(600))) { _ in calls += 1 }
    server.virtual.sleepMachine(for: .seconds(8 * 3600))
    server.virtual.advance(by: .zero)
    #expect(calls == 1)
  }

  @Test("an alarm waits for the first sample, and moves with each later one")
  func moves() {
    let server = VirtualServer(ahead: .seconds(100))
    let clock = ServerClock(on: server.loop, drift: 0)
    var came: Int64?
    clock.schedule(at: server.date(in: .seconds(60))) { _ in came = server.truth }
    let expected = server.truth + 60_000_000_000
    server.virtual.advance(by: .seconds(10))
    #expect(came == nil)
    // A lone time says too little, the exchanges then more.
    clock.take(server.date - 2, policy: .asItCame())
    server.virtual.advance(by: .seconds(30))
    server.ask(clock, out: .seconds(1), back: .zero)
    server.ask(clock, out: .zero, back: .zero)
    server.virtual.advance(by: .seconds(10))
    #expect(came == nil)
    server.virtual.advance(by: .seconds(10))
    #expect(abs((came ?? 0) - expected) < 10_000)
  }

  @Test("a sample in the same pass that slows time down holds back an alarm that was due")
  func heldBack() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop, drift: 0)
    server.ask(clock, out: .zero, back: .zero)
    let date = server.date(in: .seconds(10))
    var told: Date?
    // Blocked past the date, so that both are due in one pass, this one first.
    server.loop.after(.seconds(5)) { _ in
      clock.reset()
      clock.take(server.date - 60, policy: .asItCame())
    }
    clock.schedule(at: date) { _ in told = clock.date }
    server.virtual.block(for: .seconds(20))
    server.virtual.advance(by: .zero)
    #expect(told == nil)
    server.virtual.advance(by: .seconds(100))
    #expect(told != nil)
    if let told { #expect(told >= date) }
  }

  @Test(
    "a past date is the next pass; the distant future and a date out of reach never come and cost nothing")
  func extremes() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    server.ask(clock, out: .zero, back: .zero)
    var calls = 0
    clock.schedule(at: .distantPast) { _ in calls += 1 }
    clock.schedule(at: .distantFuture) { _ in calls += 100 }
    clock.schedule(at: Date(timeIntervalSince1970: 1e300)) { _ in calls += 100 }
    server.virtual.advance(by: .zero)
    #expect(calls == 1)
    server.virtual.advance(by: .seconds(1_000_000_000))
    #expect(calls == 1)
  }

  @Test("an alarm's closure is let go when it has come, is given up, or its clock goes")
  func lettingGo() {
    final class Token {}
    let server = VirtualServer()
    var clock: ServerClock? = ServerClock(on: server.loop)
    server.ask(clock!, out: .zero, back: .zero)
    weak var come: Token?
    weak var givenUp: Token?
    weak var orphaned: Token?
    func make(_ seconds: Int) -> (ServerClock.Alarm, Token) {
      let token = Token()
      return (clock!.schedule(at: server.date(in: .seconds(seconds))) { _ in _ = token }, token)
    }
    do {
      let (first, second, third) = (make(1), make(1000), make(1000))
      (come, givenUp, orphaned) = (first.1, second.1, third.1)
      #expect(second.0.isValid)
      second.0.invalidate()
      #expect(!second.0.isValid)
    }
    #expect(givenUp == nil)
    #expect(come != nil)
    server.virtual.advance(by: .seconds(2))
    #expect(come == nil)
    #expect(orphaned != nil)
    clock = nil
    #expect(orphaned == nil)
    #expect(server.loop.items.isEmpty)
  }
}
