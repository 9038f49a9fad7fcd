import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: starting, ending, emptiness")
struct StartingAndEndingCases {
  /// Every form of run with a limit, given one that has passed.
  static let pastRuns: [PastRun] = [
    PastRun("run(until:)") { virtual in
      virtual.loop.run(until: virtual.wallDate - 3600)
    },
    PastRun("run(until: .distantPast)") { virtual in
      virtual.loop.run(until: .distantPast)
    },
    PastRun("run(mode:before:)") { virtual in
      _ = virtual.loop.run(mode: .default, before: virtual.wallDate - 0.001)
    },
    PastRun("run(mode:for: .zero)") { virtual in
      _ = virtual.loop.run(mode: .default, for: .zero)
    },
    PastRun("run(mode:for: negative)") { virtual in
      _ = virtual.loop.run(mode: .default, for: .seconds(-5))
    },
    PastRun("acceptInput(forMode:before:)") { virtual in
      virtual.loop.acceptInput(forMode: .default, before: virtual.wallDate - 1)
    },
    PastRun("limitDate(forMode:)") { virtual in
      _ = virtual.loop.limitDate(forMode: .default)
    },
  ]

  @Test(
    "Case 1: a run whose limit has passed polls once, serves what is due, and never blocks",
    arguments: pastRuns)
  func pastLimit(_ form: PastRun) {
    let virtual = VirtualLoop()
    var served: [String] = []
    virtual.loop.after(.seconds(3600)) { _ in served.append("far") }
    virtual.loop.after(.zero) { _ in
      served.append("due")
      virtual.loop.after(.zero) { _ in served.append("next pass") }
    }
    let start = virtual.now
    form.run(virtual)
    #expect(served == ["due"])
    #expect(virtual.now == start)
  }

  @Test(
    "Case 2: a run of a mode with nothing in it returns at once and says so; observers keep nothing alive")
  func emptyMode() {
    let virtual = VirtualLoop()
    let empty = Loop.Mode("empty")
    var told = 0
    virtual.loop.add(Loop.Observer(activities: .all) { _, _ in told += 1 }, forMode: empty)
    let start = virtual.now
    #expect(virtual.loop.run(mode: empty, before: .distantFuture) == false)
    #expect(virtual.loop.run(mode: empty, for: .seconds(3600)) == .finished)
    #expect(virtual.loop.limitDate(forMode: empty) == nil)
    virtual.loop.acceptInput(forMode: empty, before: .distantFuture)
    virtual.loop.run(until: .distantFuture)
    virtual.loop.run()
    #expect(virtual.now == start)
    #expect(told == 0)
  }

  @Test("Case 2: a loop without sources can be held open, and then blocks instead of spinning")
  func heldOpen() {
    let virtual = VirtualLoop()
    let hold = virtual.loop.holdOpen()
    let start = virtual.now
    let before = virtual.loop.iteration
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .timedOut)
    #expect(virtual.now == start + .seconds(5))
    #expect(virtual.loop.iteration - before <= 3)
    hold.invalidate()
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
    #expect(virtual.now == start + .seconds(5))
  }

  @Test("Case 3: a stop asked for before a run or between two is never lost, and stops exactly one")
  func stopBeforeRun() {
    let virtual = VirtualLoop()
    var fired = 0
    virtual.loop.after(.zero) { _ in fired += 1 }
    let hold = virtual.loop.holdOpen()
    virtual.loop.stop()
    virtual.loop.stop()
    #expect(virtual.loop.run(mode: .default, for: .seconds(1)) == .stopped)
    #expect(fired == 0, "a run that is stopped before it begins calls nothing")
    #expect(virtual.loop.run(mode: .default, for: .seconds(1)) == .timedOut)
    #expect(fired == 1)
    virtual.loop.remote.stop()
    #expect(virtual.loop.run(mode: .default, for: .seconds(1)) == .stopped)
    #expect(virtual.loop.run(mode: .default, for: .seconds(1)) == .timedOut)
    hold.invalidate()
  }

  @Test(
    "Case 4: a stop from a handler lets the pass's collected handlers run and ends the innermost run only")
  func stopInHandler() {
    let virtual = VirtualLoop()
    let inner = Loop.Mode("inner")
    var log: [String] = []
    virtual.loop.after(.seconds(1)) { _ in
      virtual.loop.schedule(at: virtual.loop.wakeInstant, in: inner) { _ in
        log.append("inner 1")
        virtual.loop.stop()
      }
      virtual.loop.schedule(at: virtual.loop.wakeInstant, in: inner) { _ in log.append("inner 2") }
      virtual.loop.after(.seconds(9), in: inner) { _ in log.append("too late") }
      log.append("\(virtual.loop.run(mode: inner, for: .seconds(60)))")
    }
    virtual.loop.after(.seconds(2)) { _ in
      log.append("outer 1")
      virtual.loop.stop()
    }
    virtual.loop.after(.seconds(2)) { _ in log.append("outer 2") }
    virtual.loop.after(.seconds(3)) { _ in log.append("too late") }
    #expect(virtual.loop.run(mode: .default, for: .seconds(60)) == .stopped)
    #expect(log == ["inner 1", "inner 2", "stopped", "outer 1", "outer 2"])
  }

  @Test("Case 5: a one-shot added twice to a mode fires once, in one run; the mode is current inside only")
  func addedTwice() {
    let virtual = VirtualLoop()
    var modes: [Loop.Mode?] = []
    let timer = within(virtual) {
      Loop.Timer(timeInterval: 0.01, repeats: false) { _ in modes.append(virtual.loop.currentMode) }
    }
    virtual.loop.add(timer, forMode: .default)
    virtual.loop.add(timer, forMode: .default)
    #expect(virtual.loop.currentMode == nil)
    #expect(virtual.loop.run(mode: .default, before: virtual.wallDate + 0.05) == true)
    #expect(modes == [.default])
    #expect(virtual.loop.currentMode == nil)
    #expect(!timer.isValid)
  }

  @Test("Case 6: a run with a limit before the only timer's date ends at the limit, true, with nothing fired")
  func limitBeforeTimer() {
    let virtual = VirtualLoop()
    var fired = 0
    let timer = within(virtual) {
      Loop.Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { _ in fired += 1 }
    }
    let start = virtual.now
    #expect(virtual.loop.run(mode: .default, before: virtual.wallDate + 0.25) == true)
    #expect(virtual.now == start + .milliseconds(250))
    #expect(fired == 0)
    #expect(virtual.loop.limitDate(forMode: .default) == timer.fireDate)
  }

  @Test("Case 7: after a post was handled, a run with a timer ahead waits for it in that one call")
  func noStaleWake() {
    let virtual = VirtualLoop()
    let log = SharedLog()
    virtual.loop.remote.perform { log.append("post") }
    virtual.loop.after(.milliseconds(500)) { _ in log.append("timer") }
    _ = virtual.loop.run(mode: .default, for: .zero)
    #expect(log.entries == ["post"])
    virtual.loop.remote.wakeUp()
    _ = virtual.loop.run(mode: .default, for: .zero)
    #expect(virtual.loop.run(mode: .default, before: virtual.wallDate + 2) == true)
    #expect(log.entries == ["post", "timer"])
  }
}

/// One form of run with its name.
struct PastRun: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let run: @Sendable (VirtualLoop) -> Void

  init(_ name: String, _ run: @escaping @Sendable (VirtualLoop) -> Void) {
    testDescription = name
    self.run = run
  }
}
