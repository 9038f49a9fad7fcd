import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: nested runs, stops and wakes")
struct NestingContract {
  private enum Starter: CaseIterable { case timer, perform, source, observer }

  /// Has the loop call `body` from a handler of a kind in the next pass of a run in a mode.
  private func call(from starter: Starter, on loop: Loop, in mode: Loop.Mode, _ body: @escaping () -> Void) {
    switch starter {
    case .timer: loop.after(.zero, in: mode) { _ in body() }
    case .perform: loop.perform(inModes: [mode], block: body)
    case .source:
      let source = Loop.UserSource(perform: body)
      loop.add(source, forMode: mode)
      source.signal()
    case .observer:
      loop.add(Loop.Observer(activities: .afterWaiting, repeats: false) { _, _ in body() }, forMode: mode)
    }
  }

  @Test("A stop asked for at any of three levels, from any kind of handler, ends that level alone")
  func stopAtEachLevel() {
    let starters = Starter.allCases
    let modes = [Loop.Mode.default, .tracking, Loop.Mode("third")]
    for stopped in 0..<3 {
      for first in starters {
        for second in starters {
          for third in starters {
            let virtual = VirtualLoop()
            let loop = virtual.loop
            let hold = loop.holdOpen()
            var results: [Loop.RunResult] = []
            call(from: first, on: loop, in: modes[0]) {
              self.call(from: second, on: loop, in: modes[1]) {
                self.call(from: third, on: loop, in: modes[2]) { if stopped == 2 { loop.stop() } }
                results.append(loop.run(mode: modes[2], for: .seconds(1)))
                if stopped == 1 { loop.stop() }
              }
              results.append(loop.run(mode: modes[1], for: .seconds(3)))
              if stopped == 0 { loop.stop() }
            }
            results.append(loop.run(mode: modes[0], for: .seconds(10)))
            var expected: [Loop.RunResult] = [.timedOut, .timedOut, .timedOut]
            expected[2 - stopped] = .stopped
            #expect(results == expected, "level \(stopped) of \(first), \(second), \(third)")
            #expect(loop.currentMode == nil)
            hold.invalidate()
          }
        }
      }
    }
  }

  @Test("A stop from another thread ends the run that is innermost when the loop looks, and no other")
  func stopFromElsewhere() async {
    let results = await LoopThreadForTests.run { loop -> [Loop.RunResult] in
      let hold = loop.holdOpen()
      let remote = loop.remote
      var results: [Loop.RunResult] = []
      loop.after(.zero, in: .default) { _ in
        onceWaiting(remote) { remote.stop() }
        results.append(loop.run(mode: .tracking, for: .seconds(60)))
        onceWaiting(remote) { remote.stop() }
      }
      results.append(loop.run(mode: .default, for: .seconds(60)))
      hold.invalidate()
      results.append(loop.run(mode: .default, for: .zero))
      return results
    }
    #expect(results == [.stopped, .stopped, .finished])
  }

  @Test("A wake asked for outside a run makes the next run's first wait a poll, and only that one")
  func wakeOutside() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var stamps: [Duration] = []
    virtual.loop.add(
      Loop.Observer(activities: .afterWaiting) { _, _ in stamps.append(virtual.loop.wakeInstant - start) },
      forMode: .default)
    virtual.loop.after(.seconds(1), in: .default) { _ in }
    for _ in 0..<3 { virtual.loop.remote.wakeUp() }
    virtual.loop.run(mode: .default, for: .seconds(5))
    #expect(stamps == [.zero, .seconds(1)])
  }

  @Test("What a beforeWaiting observer adds, posts, signals or schedules counts for the wait that follows")
  func beforeWaiting() {
    for kind in 0..<5 {
      let virtual = VirtualLoop()
      let start = virtual.now
      var at: [Duration] = []
      let note = { at.append(virtual.loop.wakeInstant - start) }
      let source = Loop.UserSource(perform: note)
      virtual.loop.add(source, forMode: .default)
      virtual.loop.add(
        Loop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in
          switch kind {
          case 0: virtual.loop.perform(note)
          case 1:
            nonisolated(unsafe) let note = note  // Virtual time is one thread.
            virtual.loop.remote.perform { note() }
          case 2: source.signal()
          case 3: virtual.loop.after(.zero) { _ in note() }
          default: virtual.loop.schedule(at: virtual.now - .seconds(3)) { _ in note() }
          }
        }, forMode: .default)
      virtual.loop.run(mode: .default, for: .seconds(5))
      #expect(at == [.zero], "kind \(kind)")
    }
  }

  @Test(
    "A limit date holds for a nested run by the clock at its own call, and the outer limit ends only the outer"
  )
  func nestedLimits() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var log: [String] = []
    virtual.loop.after(.seconds(1)) { _ in
      virtual.loop.after(.seconds(100), in: .tracking) { _ in }
      virtual.loop.run(mode: .tracking, before: virtual.wallDate + 8)
      log.append("inner \(virtual.now - start)")
    }
    let isAlive = virtual.loop.run(mode: .default, before: virtual.wallDate + 3)
    log.append("outer \(virtual.now - start) \(isAlive)")
    #expect(log == ["inner 9.0 seconds", "outer 9.0 seconds true"])
  }

  @Test("limitDate asked in a handler tells the next date, and what it serves is not served again")
  func limitDateInHandler() {
    let virtual = VirtualLoop()
    var calls = 0
    var told: Date?
    let due = virtual.now + .seconds(1)
    virtual.loop.schedule(at: due) { _ in told = virtual.loop.limitDate(forMode: .default) }
    virtual.loop.schedule(at: due) { _ in calls += 1 }
    virtual.loop.schedule(at: due + .seconds(4)) { _ in }
    let date = virtual.wallDate + 5
    virtual.advance(by: .seconds(2))
    #expect(calls == 1)
    #expect(told == date)
  }

  @Test("run(while:) asks before the first pass and after each, and can be stopped")
  func runWhile() {
    let virtual = VirtualLoop()
    let hold = virtual.loop.holdOpen()
    var asked = 0
    virtual.loop.run(while: {
      asked += 1
      return false
    })
    #expect(asked == 1)
    var beats = 0
    virtual.loop.schedule(every: .seconds(1)) { _ in beats += 1 }
    virtual.loop.run(while: { beats < 5 })
    #expect(beats == 5)
    virtual.loop.after(.milliseconds(1500)) { _ in virtual.loop.stop() }
    virtual.loop.run(while: { true })
    #expect(beats == 6)
    hold.invalidate()
  }

  @Test("A mode that joins the common set while it runs takes part at once in what is there")
  func joinsWhileRunning() {
    let virtual = VirtualLoop()
    let mode = Loop.Mode("late")
    var log: [String] = []
    let both = virtual.loop.schedule(every: .seconds(1)) { _ in log.append("timer") }
    virtual.loop.add(both, forMode: mode)
    let source = Loop.UserSource { log.append("source") }
    virtual.loop.add(source, forMode: .common)
    virtual.setReady(5)
    _ = try? virtual.loop.watch(5) { descriptor, _ in
      log.append("descriptor")
      descriptor.invalidate()
    }
    virtual.loop.add(
      Loop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in
        source.signal()
        log.append("before")
        virtual.loop.addCommonMode(mode)
      }, forMode: mode)
    virtual.loop.run(mode: mode, for: .milliseconds(2500))
    #expect(log == ["before", "source", "descriptor", "timer", "timer"])
  }

  @Test(
    "Modes that come and go by the thousand leave no descriptor behind", .enabled(if: openDescriptors() > 0))
  func manyModes() async {
    let counts = await LoopThreadForTests.run { loop -> [Int] in
      var counts: [Int] = []
      for round in 0..<3_000 {
        let mode = Loop.Mode("mode \(round)")
        loop.perform(inModes: [mode]) {}
        loop.after(.zero, in: mode) { _ in }
        _ = loop.run(mode: mode, for: .seconds(10))
        if round % 1_000 == 10 { counts.append(openDescriptors()) }
      }
      return counts
    }
    // Others of this process may open a few meanwhile.
    #expect((counts.last ?? 0) - (counts.first ?? 0) < 100)
  }
}

/// How many descriptors the process has open.
private func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
