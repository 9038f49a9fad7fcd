import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Back from an absence")
struct AbsenceTests {
  @Test("sleep is told before any timer of its pass, with its length, and nothing else is")
  func sleep() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    var log: [String] = []
    loop.observeAbsences { log.append("\($0)") }
    loop.schedule(every: .seconds(3600), clock: .continuous) { _ in log.append("hourly") }
    loop.after(.seconds(1)) { _ in log.append("second") }
    virtual.sleepMachine(for: .seconds(8 * 3600), at: virtual.now + .seconds(10))
    virtual.advance(by: .seconds(20))
    #expect(log == ["second", "the machine slept for 28800.0 seconds", "hourly"])
  }

  @Test(
    "a step of the clock is told when it happens, also while the loop sleeps with nothing due",
    arguments: [-3600, 3600, 1, -315_360_000])
  func step(seconds: Int) {
    let virtual = VirtualLoop()
    let start = virtual.now
    var told: [Loop.Absence] = []
    var at: [Duration] = []
    virtual.loop.observeAbsences {
      told.append($0)
      at.append(virtual.now - start)
    }
    virtual.loop.after(.seconds(7200)) { _ in }
    virtual.stepWallClock(by: .seconds(seconds), at: start + .seconds(60))
    virtual.loop.run()
    #expect(told.map(\.causes) == [[.clockStepped(by: .seconds(seconds))]])
    #expect(at == [.seconds(60)])
    #expect(told.first?.duration == .zero)
  }

  @Test("a process that was stopped is told by the wake-up that it missed")
  func stopped() {
    let virtual = VirtualLoop()
    var log: [String] = []
    virtual.loop.observeAbsences { log.append("\($0)") }
    virtual.loop.after(.seconds(5)) { log.append("late \($0.late)") }
    // The world goes on and the loop does not.
    virtual.script(at: virtual.now + .seconds(2)) { virtual.block(for: .seconds(60)) }
    virtual.loop.run()
    #expect(log == ["the process was stopped for 57.0 seconds", "late 57.0 seconds"])
  }

  @Test("a handler that takes long and a slewed clock are no absence")
  func presence() {
    let virtual = VirtualLoop()
    var told = 0
    virtual.loop.observeAbsences { _ in told += 1 }
    virtual.setWallDrift(partsPerMillion: 500)
    let timer = virtual.loop.schedule(every: .seconds(60)) { _ in virtual.block(for: .seconds(95)) }
    virtual.advance(by: .seconds(86_400))
    virtual.setWallDrift(partsPerMillion: -500)
    timer.isPaused = true
    virtual.loop.after(.seconds(86_400)) { _ in }
    virtual.advance(by: .seconds(86_400))
    #expect(told == 0)
  }

  @Test("all at once is told at once and apart")
  func together() {
    let virtual = VirtualLoop()
    var told: [Loop.Absence] = []
    virtual.loop.observeAbsences { told.append($0) }
    virtual.loop.after(.seconds(5)) { _ in }
    virtual.script(at: virtual.now + .seconds(1)) {
      virtual.sleepMachine(for: .seconds(1000))
      virtual.stepWallClock(by: .seconds(-50))
      virtual.block(for: .seconds(10))
    }
    virtual.loop.run()
    #expect(told.count == 1)
    #expect(
      told.first?.causes == [
        .machineSlept(.seconds(1000)), .processStopped(.seconds(6)), .clockStepped(by: .seconds(-50)),
      ])
    #expect(told.first?.duration == .seconds(1006))
  }

  @Test("an observer in another mode is told when that mode runs, once and of everything")
  func modes() {
    let virtual = VirtualLoop()
    let private_ = Loop.Mode("private")
    var told: [Loop.Absence] = []
    virtual.loop.observeAbsences(in: private_) { told.append($0) }
    for _ in 0..<2 {
      virtual.loop.after(.seconds(2)) { _ in }
      virtual.sleepMachine(for: .seconds(10), at: virtual.now + .seconds(1))
      virtual.loop.run()
    }
    #expect(told.isEmpty)
    virtual.loop.perform(inModes: [private_]) {}
    virtual.loop.run(mode: private_, for: .zero)
    #expect(told.map(\.slept) == [.seconds(20)])
  }

  @Test("what happened before it came, while it was paused or after its end is not told")
  func notItsBusiness() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    var told: [Loop.Absence] = []
    func pass(_ happening: () -> Void) {
      happening()
      loop.perform {}
      loop.run(mode: .default, for: .zero)
    }
    pass { virtual.sleepMachine(for: .seconds(1)) }
    let observer = loop.observeAbsences { told.append($0) }
    pass {}
    pass {
      observer.isPaused = true
      virtual.sleepMachine(for: .seconds(2))
    }
    observer.isPaused = false
    pass {}
    pass { virtual.sleepMachine(for: .seconds(4)) }
    #expect(told.map(\.slept) == [.seconds(4)])
    observer.invalidate()
    pass { virtual.sleepMachine(for: .seconds(8)) }
    #expect(told.count == 1)
    #expect(loop.items.isEmpty)
  }

  @Test("it keeps no loop alive, and its closure goes with it")
  func lettingGo() {
    let virtual = VirtualLoop()
    weak var captured: Witness?
    do {
      let witness = Witness()
      captured = witness
      let observer = virtual.loop.observeAbsences { _ in _ = witness }
      virtual.loop.run()
      #expect(captured != nil)
      observer.invalidate()
    }
    #expect(captured == nil)
  }

  @Test("on the real backend an observed loop sleeps as any other, and wakes for its timers alone")
  func real() {
    let loop = Loop.current
    var passes = 0
    let observer = loop.observeAbsences(shortestStop: .seconds(3600)) { _ in }
    let counter = Loop.Observer(activities: .afterWaiting) { _, _ in passes += 1 }
    loop.add(counter, forMode: .common)
    var fired = 0
    loop.schedule(every: .milliseconds(20)) { pass in
      fired += 1
      if fired == 5 { pass.timer.invalidate() }
    }
    loop.run()
    observer.invalidate()
    counter.invalidate()
    #expect(fired == 5)
    // A wait may end without a cause, but no loop spins.
    #expect(passes <= 20)
  }
}

final class Witness {}

@Suite("An advance of a loop that can't keep up")
struct OverloadedAdvanceTests {
  @Test("it ends, late by the handler that carries time beyond its end")
  func ends() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var calls = 0
    virtual.loop.schedule(every: .seconds(10)) { _ in
      calls += 1
      virtual.block(for: .seconds(35))
    }
    #expect(virtual.advance(by: .seconds(100)) == .reachedEnd)
    // Called at 10, 45 and 80, and at 115 in the pass that finds the time over.
    #expect(calls == 4)
    #expect(virtual.now == start + .seconds(150))
  }
}
