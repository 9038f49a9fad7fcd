import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Jobs by ticks")
struct TickSchedulerTests {
  @Test(
    "each job is called every so many sixtieths, exactly",
    arguments: [1, 2, 7, 59, 60, 61, 3_600])
  func periods(period: Int) {
    let virtual = VirtualLoop()
    let start = virtual.now.nanoseconds
    var calls: Int64 = 0
    var isExact = true
    virtual.loop.ticks.add("job", every: period) { tick in
      calls += 1
      let number = calls * Int64(period)
      let instant = start + (number * 1_000_000_000 + 59) / 60
      isExact = isExact && tick.number == number && tick.missed == 0 && virtual.now.nanoseconds == instant
    }
    virtual.advance(by: .seconds(600))
    #expect(calls == 36_000 / Int64(period))
    #expect(isExact)
  }

  @Test("a second's tick has its own scheduler, and the shared one is the same for all")
  func schedulers() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    #expect(loop.ticks === loop.ticks)
    var log: [String] = []
    let slow = TickScheduler(tick: .milliseconds(250), on: loop)
    slow.add(1, every: 2) { log.append("slow \($0.number)") }
    loop.ticks.add(1, every: 60) { log.append("fast \($0.number)") }
    virtual.advance(by: .seconds(1))
    #expect(log == ["slow 2", "slow 4", "fast 60"])
  }

  @Test("a job added twice under one id runs once, by what was said last")
  func twice() {
    let virtual = VirtualLoop()
    let ticks = TickScheduler(ticksPerSecond: 10, on: virtual.loop)
    var log: [String] = []
    ticks.add("a", every: 1) { _ in log.append("first") }
    ticks.add("a", every: 2) { log.append("\($0.number)") }
    #expect(ticks.count == 1 && ticks.contains("a") && !ticks.contains("b"))
    virtual.advance(by: .milliseconds(600))
    #expect(log == ["2", "4", "6"])
    #expect(ticks.cancel("a"))
    #expect(!ticks.cancel("a"))
    #expect(ticks.isEmpty && virtual.loop.items.isEmpty)
  }

  @Test("jobs of one tick are called in the order of adding; phases keep others apart")
  func phases() {
    let virtual = VirtualLoop()
    let ticks = TickScheduler(ticksPerSecond: 10, on: virtual.loop)
    var log: [String] = []
    for name in ["c", "a", "b"] { ticks.add(name, every: 3, phase: 0) { log.append("\(name)\($0.number)") } }
    ticks.add("d", every: 3, phase: 1) { log.append("d\($0.number)") }
    ticks.add("e", every: 3, phase: -1) { log.append("e\($0.number)") }
    virtual.advance(by: .milliseconds(500))
    #expect(log == ["d1", "e2", "c3", "a3", "b3", "d4", "e5"])
  }

  @Test("a job may cancel itself and others, and add and replace jobs, in its call")
  func inside() {
    let virtual = VirtualLoop()
    let ticks = TickScheduler(ticksPerSecond: 10, on: virtual.loop)
    var log: [String] = []
    ticks.add("a", every: 1) { tick in
      log.append("a\(tick.number)")
      if tick.number == 2 {
        ticks.cancel("b")
        ticks.cancel("a")
        ticks.add("c", every: 1) { log.append("new c\($0.number)") }
        ticks.add("d", every: 1) { log.append("d\($0.number)") }
      }
    }
    ticks.add("b", every: 1) { log.append("b\($0.number)") }
    ticks.add("c", every: 1) { log.append("c\($0.number)") }
    virtual.advance(by: .milliseconds(300))
    #expect(log == ["a1", "b1", "c1", "a2", "new c3", "d3"])
    ticks.add("d", every: 1) { _ in ticks.cancelAll() }
    virtual.loop.run()
    #expect(ticks.isEmpty && virtual.loop.items.isEmpty)
  }

  @Test("after a stall each job is called once, is told what it missed, and keeps its phase")
  func stall() {
    let virtual = VirtualLoop()
    let ticks = TickScheduler(ticksPerSecond: 10, on: virtual.loop)
    var log: [String] = []
    ticks.add("a", every: 3) { log.append("\($0.number) missed \($0.missed)") }
    virtual.loop.after(.milliseconds(350)) { _ in virtual.block(for: .milliseconds(1_000)) }
    virtual.advance(by: .milliseconds(1_600))
    #expect(log == ["3 missed 0", "13 missed 2", "15 missed 0"])
  }

  @Test("the loop wakes only for ticks at which a job is due")
  func wakeUps() {
    let virtual = VirtualLoop()
    var passes = 0
    let observer = Loop.Observer(activities: .afterWaiting) { _, _ in passes += 1 }
    virtual.loop.add(observer, forMode: .common)
    for job in 0..<100 { virtual.loop.ticks.add(job, every: 600, phase: 0) { _ in } }
    virtual.advance(by: .seconds(100))
    // Ten wake-ups, and the end of the time, which is the last of them.
    #expect((10...11).contains(passes), "\(passes) passes")
  }

  @Test("closures go when their job is cancelled or replaced, its owner has died, or the loop goes")
  func lettingGo() {
    func held(_ act: (TickScheduler, VirtualLoop) -> Void) -> Bool {
      weak var held: Witness?
      var virtual: VirtualLoop? = VirtualLoop()
      var ticks: TickScheduler? = TickScheduler(on: virtual!.loop)
      do {
        let witness = Witness()
        held = witness
        ticks!.add("a", every: 2) { _ in _ = witness }
      }
      if held == nil { return true }
      act(ticks!, virtual!)
      if held == nil { return false }
      ticks = nil
      virtual = nil
      return held != nil
    }
    #expect(!held { ticks, _ in ticks.cancel("a") })
    #expect(!held { ticks, _ in ticks.add("a", every: 1) { _ in } })
    #expect(!held { _, _ in })

    let virtual = VirtualLoop()
    var calls = 0
    weak var owner: Witness?
    do {
      let made = Witness()
      owner = made
      virtual.loop.ticks.add("owned", every: 1, owner: made) { _, _ in calls += 1 }
      virtual.advance(by: .seconds(1))
    }
    #expect(owner == nil && calls == 60)
    virtual.loop.run()
    #expect(calls == 60 && virtual.loop.ticks.isEmpty)
  }

  @Test("random programs of jobs run as a plain list of them would")
  func program() {
    struct Model {
      var period: Int64
      var due: Int64
      var order: Int
    }
    for seed in 1...60 {
      var random = SplitMix64(seed: UInt64(seed))
      let virtual = VirtualLoop()
      let rate = Int.random(in: 1...120, using: &random)
      let ticks = TickScheduler(ticksPerSecond: rate, on: virtual.loop)
      var models: [Int: Model] = [:]
      var log: [String] = []
      var expected: [String] = []
      var current: Int64 = 0
      var order = 0
      for _ in 0..<40 {
        let id = Int.random(in: 0..<8, using: &random)
        if random.next() % 3 == 0 {
          #expect(ticks.cancel(id) == (models.removeValue(forKey: id) != nil))
        } else {
          let period = Int.random(in: 1...70, using: &random)
          ticks.add(id, every: period) { log.append("\(id) at \($0.number)") }
          order += 1
          models[id] = Model(period: Int64(period), due: current + Int64(period), order: order)
        }
        let next = current + Int64.random(in: 0...50, using: &random)
        while current < next {
          current += 1
          for (id, model) in models.sorted(by: { $0.value.order < $1.value.order }) where model.due == current
          {
            expected.append("\(id) at \(current)")
            models[id]?.due += model.period
          }
        }
        // To just behind the tick.
        let instant = (current * 1_000_000_000 + Int64(rate) - 1) / Int64(rate)
        virtual.advance(to: Loop.Instant(nanoseconds: 1_000_000_000_000 + instant))
      }
      #expect(log == expected, "seed \(seed)")
    }
  }
}
