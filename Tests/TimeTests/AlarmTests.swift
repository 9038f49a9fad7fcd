import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Alarms whose next date comes from a closure")
struct AlarmTests {
  /// Half past each hour.
  private static func halfPast(_ date: Date) -> Date? {
    let hours = (date.timeIntervalSinceReferenceDate - 1800) / 3600
    return Date(timeIntervalSinceReferenceDate: (hours.rounded(.down) + 1) * 3600 + 1800)
  }

  private func told(_ virtual: VirtualLoop) -> (Loop.Timer, () -> [String]) {
    final class Log { var lines: [String] = [] }
    let log = Log()
    let timer = virtual.loop.schedule(next: Self.halfPast) { pass in
      let minutes = pass.date.timeIntervalSince(VirtualLoop.startDate) / 60
      log.lines.append("\(Int(minutes))" + (pass.missed == 0 ? "" : " missed \(pass.missed)"))
    }
    return (timer, { log.lines })
  }

  @Test("it rings at each date in turn")
  func rings() {
    let virtual = VirtualLoop()
    let (timer, log) = told(virtual)
    #expect(timer.fireDate == VirtualLoop.startDate + 1800)
    virtual.advance(by: .seconds(3 * 3600))
    #expect(log() == ["30", "90", "150"])
    #expect(timer.fireDate == VirtualLoop.startDate + 1800 + 3 * 3600)
    #expect(timer.timeInterval == 0)
  }

  @Test("set forward it rings once for all that have passed, set back nothing twice")
  func steps() {
    let virtual = VirtualLoop()
    let (_, log) = told(virtual)
    virtual.advance(by: .seconds(60 * 60))
    virtual.stepWallClock(by: .seconds(5 * 3600))
    virtual.advance(by: .seconds(1))
    #expect(log() == ["30", "360 missed 4"])
    virtual.stepWallClock(by: .seconds(-5 * 3600))
    virtual.advance(by: .seconds(5 * 3600))
    #expect(log().count == 2)
    virtual.advance(by: .seconds(3600))
    #expect(log().count == 3 && log().last == "390")
  }

  @Test("a clock that was far ahead when it was made and is put right does not silence it")
  func putRight() {
    let virtual = VirtualLoop(wallDate: VirtualLoop.startDate + 10 * 365 * 86_400)
    let (_, log) = told(virtual)
    virtual.stepWallClock(by: .seconds(-10 * 365 * 86_400), at: virtual.now + .seconds(60))
    virtual.advance(by: .seconds(2 * 3600))
    #expect(log() == ["30", "90"])
  }

  @Test("it ends when there is no next date, and never begins without a first")
  func ends() {
    let virtual = VirtualLoop()
    var calls = 0
    var cancels = 0
    let last = virtual.wallDate + 30
    let timer = virtual.loop.schedule(next: { $0 < last ? $0 + 10 : nil }) { _ in calls += 1 }
    timer.cancelHandler = { cancels += 1 }
    let none = virtual.loop.schedule(next: { _ in nil }) { _ in calls += 100 }
    #expect(!none.isValid)
    virtual.loop.run()
    #expect(calls == 3 && cancels == 1 && !timer.isValid)
    #expect(virtual.loop.items.isEmpty)
  }

  @Test("fired by hand it keeps its date; re-dated it takes that one, then goes by the closure again")
  func byHand() {
    let virtual = VirtualLoop()
    let (timer, log) = told(virtual)
    timer.fire()
    #expect(timer.fireDate == VirtualLoop.startDate + 1800)
    timer.fireDate = VirtualLoop.startDate + 600
    virtual.advance(by: .seconds(3600))
    #expect(log() == ["0", "10", "30"])
  }

  @Test("what passes while it is paused is missed")
  func paused() {
    let virtual = VirtualLoop()
    let (timer, log) = told(virtual)
    timer.isPaused = true
    virtual.advance(by: .seconds(3 * 3600))
    timer.isPaused = false
    virtual.advance(by: .seconds(3600))
    #expect(log() == ["210 missed 3"])
    #expect(timer.missedFires == 3)
  }

  @Test("its closures go with it, and it with its owner")
  func lettingGo() {
    let virtual = VirtualLoop()
    weak var held: Witness?
    do {
      let witness = Witness()
      held = witness
      let timer = virtual.loop.schedule(
        next: { date in
          _ = witness
          return date + 10
        }
      ) { _ in _ = witness }
      virtual.advance(by: .seconds(15))
      timer.invalidate()
    }
    #expect(held == nil)
    var calls = 0
    do {
      let owner = Witness()
      held = owner
      virtual.loop.schedule(next: { $0 + 10 }, owner: owner) { _, _ in calls += 1 }
      virtual.advance(by: .seconds(15))
    }
    #expect(held == nil && calls == 1)
    // The sweep that finds it is part of a pass.
    virtual.loop.perform {}
    virtual.loop.run()
    #expect(calls == 1 && virtual.loop.items.isEmpty)
  }

  @Test(
    "random steps of up to ten years: never early by the wall, no date twice, and the next is the first due")
  func program() {
    for seed in 1...100 {
      var random = SplitMix64(seed: UInt64(seed))
      let virtual = VirtualLoop()
      var told: [Date] = []
      var dates: Set<Date> = []
      var problems: [String] = []
      var timer: Loop.Timer!
      timer = virtual.loop.schedule(next: Self.halfPast) { pass in
        if let last = told.last, pass.date <= last { problems.append("\(pass.date) told after \(last)") }
        told.append(pass.date)
        // The date it was due at: the last half hour not after now.
        let due = Self.halfPast(pass.date)! - 3600
        if !dates.insert(due).inserted { problems.append("\(due) twice") }
      }
      virtual.setWallDrift(partsPerMillion: Double.random(in: -500...500, using: &random))
      for _ in 0..<12 {
        virtual.advance(by: .seconds(Int64.random(in: 1...7_200, using: &random)))
        let step = Int64.random(in: 1...315_360_000, using: &random) >> Int64(random.next() % 28)
        virtual.stepWallClock(by: .seconds(random.next() % 2 == 0 ? step : -step))
        if random.next() % 4 == 0 {
          virtual.sleepMachine(for: .seconds(Int64.random(in: 1...10_000, using: &random)))
        }
        virtual.advance(by: .zero)
        let base = max(virtual.wallDate, told.last ?? .distantPast)
        if timer.fireDate != Self.halfPast(base) { problems.append("next \(timer.fireDate) after \(base)") }
      }
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(2))")
    }
  }
}
