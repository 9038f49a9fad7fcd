import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: when timers fire")
struct TimerFiringCases {
  @Test("Case 14: a timer added three seconds after its making first fires an interval after the making")
  func addedLater() {
    let virtual = VirtualLoop()
    var fired: [Loop.Instant] = []
    let start = virtual.now
    let timer = within(virtual) {
      Loop.Timer(timeInterval: 5, repeats: true) { _ in fired.append(virtual.loop.wakeInstant) }
    }
    virtual.block(for: .seconds(3))
    virtual.loop.add(timer, forMode: .default)
    virtual.advance(to: start + .seconds(10))
    #expect(fired == [start + .seconds(5), start + .seconds(10)])
  }

  @Test("Case 15: a delay counts from the asking, not from the stamp of a handler that has worked long")
  func delayCountsFromAsking() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired: [Loop.Instant] = []
    virtual.loop.after(.seconds(1)) { _ in
      virtual.block(for: .milliseconds(300))
      virtual.loop.after(.milliseconds(100)) { pass in fired.append(pass.instant) }
      virtual.loop.perform(after: .milliseconds(100)) { fired.append(virtual.loop.wakeInstant) }
      Loop.Timer.scheduledTimer(withTimeInterval: 0.125, repeats: false) { _ in
        fired.append(virtual.loop.wakeInstant)
      }
    }
    virtual.advance(by: .seconds(5))
    #expect(
      fired == [
        start + .milliseconds(1400), start + .milliseconds(1400), start + .milliseconds(1425),
      ])
  }

  @Test("Case 15: a fresh loop that was blocked before its first run counts a delay from the asking")
  func delayOnFreshLoop() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired: [Loop.Instant] = []
    virtual.block(for: .seconds(5))
    virtual.loop.after(.milliseconds(100)) { pass in fired.append(pass.instant) }
    virtual.advance(by: .seconds(1))
    #expect(fired == [start + .milliseconds(5100)])
  }

  @Test("Case 16: timers of equal delay from one handler's shared now fire in one pass, in order of making")
  func equalDelays() {
    let virtual = VirtualLoop()
    var fired: [Int] = []
    var passes: Set<UInt64> = []
    virtual.loop.after(.seconds(1)) { _ in
      for number in 0..<3 {
        virtual.block(for: .milliseconds(1))
        virtual.loop.schedule(at: virtual.loop.wakeInstant + .milliseconds(100)) { pass in
          fired.append(number)
          passes.insert(pass.iteration)
        }
      }
    }
    virtual.advance(by: .seconds(2))
    #expect(fired == [0, 1, 2])
    #expect(passes.count == 1)
  }

  @Test(
    "Case 17: beats that pass while the loop is blocked are one late call and a count, and the grid is kept")
  func missedBeats() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var calls: [String] = []
    var missed = 0
    let timer = virtual.loop.schedule(every: .milliseconds(100)) { pass in
      calls.append("\(start.duration(to: pass.instant)) due \(start.duration(to: pass.due))")
      missed += pass.missed
    }
    virtual.block(for: .milliseconds(350))
    virtual.advance(by: .milliseconds(150))
    #expect(
      calls == [
        "0.35 seconds due 0.1 seconds", "0.4 seconds due 0.4 seconds", "0.5 seconds due 0.5 seconds",
      ])
    #expect(missed == 2)
    #expect(timer.missedFires == 2)
  }

  @Test("Case 18: a repeat of some minutes has not drifted by a nanosecond after a year")
  func noDrift() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var calls = 0
    var last = start
    var isOnGrid = true
    virtual.loop.schedule(every: .seconds(420)) { pass in
      calls += 1
      last = pass.instant
      isOnGrid = isOnGrid && pass.instant == start + .seconds(420) * calls
    }
    virtual.advance(by: .seconds(365 * 86_400))
    #expect(calls == 365 * 86_400 / 420)
    #expect(last == start + .seconds(420) * calls)
    #expect(isOnGrid)
  }

  @Test(
    "Case 19: a zero-second timer, a ready descriptor and a re-adding handler each get their turn in every pass"
  )
  func nobodyStarves() throws {
    let virtual = VirtualLoop()
    var turns: [String: Set<UInt64>] = [:]
    func note(_ name: String) { turns[name, default: []].insert(virtual.loop.iteration) }
    virtual.setReady(5)
    try virtual.loop.watch(5, in: .default) { _, _ in
      note("source")
      virtual.block(for: .microseconds(100))
    }
    within(virtual) {
      _ = Loop.Timer.scheduledTimer(withTimeInterval: 0, repeats: true) { _ in note("timer") }
    }
    func readd() {
      virtual.loop.after(.zero) { _ in
        note("delay")
        readd()
      }
    }
    func repost() {
      virtual.loop.perform {
        note("perform")
        repost()
      }
    }
    readd()
    repost()
    virtual.loop.after(.milliseconds(20)) { _ in virtual.loop.stop() }
    #expect(virtual.loop.run(mode: .default, for: .seconds(60)) == .stopped)
    let passes = turns["source"]?.count ?? 0
    #expect(passes >= 200)
    for name in ["timer", "delay", "perform"] {
      let taken = turns[name]?.count ?? 0
      #expect((passes - 2...passes + 1).contains(taken), "\(name): \(taken) turns of \(passes)")
    }
  }

  @Test("Case 20: deadlines of odd nanoseconds are never early by a fraction, and take one wait each")
  func oddNanoseconds() {
    let virtual = VirtualLoop()
    var early = 0
    var calls = 0
    for delay in stride(from: 1, to: 2_000_000, by: 1_003) as StrideTo<Int64> {
      let due = virtual.now + .nanoseconds(delay)
      virtual.loop.after(.nanoseconds(delay)) { pass in
        calls += 1
        if pass.instant < due || pass.late != .zero { early += 1 }
      }
    }
    let before = virtual.loop.iteration
    virtual.advance(by: .milliseconds(2))
    #expect(calls == 1_995)
    #expect(early == 0)
    #expect(virtual.loop.iteration - before <= 1_995 + 2)
  }

  @Test("Case 21: firing by hand is an extra call that leaves the schedule of a repeating timer alone")
  func fireByHand() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired: [Loop.Instant] = []
    let timer = virtual.loop.schedule(every: .seconds(2), in: .default) { _ in fired.append(virtual.now) }
    virtual.advance(by: .seconds(1))
    timer.fire()
    virtual.advance(by: .seconds(3))
    #expect(fired == [start + .seconds(1), start + .seconds(2), start + .seconds(4)])
  }

  @Test("Case 21: a one-shot fired by hand has fired and is invalid; a timer in no loop fires as well")
  func fireOneShot() {
    let virtual = VirtualLoop()
    var fired = 0
    let timer = virtual.loop.after(.seconds(1)) { _ in fired += 1 }
    timer.fire()
    #expect(fired == 1)
    #expect(!timer.isValid)
    virtual.advance(by: .seconds(2))
    timer.fire()
    #expect(fired == 1)
    let homeless = Loop.Timer(timeInterval: 1, repeats: true) { _ in fired += 10 }
    homeless.fire()
    #expect(fired == 11)
    #expect(homeless.isValid)
    let once = Loop.Timer(timeInterval: 1, repeats: false) { _ in fired += 100 }
    once.fire()
    #expect(fired == 111)
    #expect(!once.isValid)
  }

  @Test("Case 22: a fire date moved about fires as last set, and for ever-future never")
  func movedAbout() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let date = virtual.wallDate
    var fired: [Loop.Instant] = []
    let timer = virtual.loop.after(.seconds(5)) { pass in fired.append(pass.instant) }
    timer.fireDate = date + 20
    virtual.advance(by: .seconds(6))
    timer.fireDate = date + 8
    timer.fireDate = .distantFuture
    virtual.advance(by: .seconds(100))
    #expect(fired.isEmpty)
    #expect(timer.isValid)
    timer.fireDate = date + 110
    virtual.advance(by: .seconds(100))
    #expect(fired == [start + .seconds(110)])
  }

  @Test("Case 22: a fire date moved inside its own handler wins over the grid, which goes on from there")
  func movedInHandler() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let date = virtual.wallDate
    var fired: [Loop.Instant] = []
    let timer = within(virtual) {
      Loop.Timer.scheduledTimer(withTimeInterval: 2, repeats: true) { timer in
        fired.append(virtual.loop.wakeInstant)
        if fired.count == 1 { timer.fireDate = date + 7 }
      }
    }
    virtual.advance(by: .seconds(10))
    #expect(fired == [2, 7, 9].map { start + .seconds($0) })
    timer.invalidate()
  }

  @Test("Case 23: a fire date reads back as it was set, to the bit; a one-shot has no interval")
  func fireDateReadsBack() {
    let virtual = VirtualLoop()
    let timer = virtual.loop.schedule(every: .seconds(1)) { _ in }
    let base = virtual.wallDate.timeIntervalSinceReferenceDate
    for step in 1...2_000 {
      let date = Date(timeIntervalSinceReferenceDate: base + Double(step) * 0.1 + 1e-7)
      timer.fireDate = date
      #expect(
        timer.fireDate.timeIntervalSinceReferenceDate.bitPattern
          == date.timeIntervalSinceReferenceDate.bitPattern)
    }
    #expect(timer.timeInterval == 1)
    #expect(virtual.loop.after(.seconds(3)) { _ in }.timeInterval == 0)
    #expect(Loop.Timer(timeInterval: 5, repeats: false) { _ in }.timeInterval == 0)
    #expect(Loop.Timer(timeInterval: 5, repeats: true) { _ in }.timeInterval == 5)
  }

  @Test("Case 24: a strict timer is not moved by a tolerant one, which shares its wake-up")
  func strictBesideTolerant() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var strict: [Loop.Instant] = []
    var tolerant: [Loop.Instant] = []
    virtual.loop.after(.milliseconds(100), tolerance: .milliseconds(600)) { tolerant.append($0.instant) }
    virtual.loop.after(.milliseconds(300)) { strict.append($0.instant) }
    virtual.loop.after(.milliseconds(1000), tolerance: .milliseconds(600)) { tolerant.append($0.instant) }
    virtual.loop.after(.milliseconds(999)) { strict.append($0.instant) }
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(3))
    #expect(strict == [start + .milliseconds(300), start + .milliseconds(999)])
    #expect(tolerant == [start + .milliseconds(300), start + .milliseconds(1600)])
    #expect(virtual.loop.iteration - before <= 4)
  }

  @Test("Case 25: a timer that another one of its pass invalidates does not fire")
  func invalidatedInItsPass() {
    let virtual = VirtualLoop()
    var fired: [String] = []
    var second: Loop.Timer?
    virtual.loop.after(.seconds(1)) { _ in
      fired.append("first")
      second?.invalidate()
    }
    second = virtual.loop.after(.seconds(1)) { _ in fired.append("second") }
    virtual.advance(by: .seconds(2))
    #expect(fired == ["first"])
  }
}
