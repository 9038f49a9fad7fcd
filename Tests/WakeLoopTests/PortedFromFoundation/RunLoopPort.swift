import Foundation
import Testing
import WakeLoop

// Code that was written for Foundation's main loop keeps its spelling with these two lines.
private typealias RunLoop = Loop
private typealias Timer = Loop.Timer

@Suite("What Foundation's own tests ask of a run loop")
struct RunLoopPort {
  @Test("the names of the default and the common mode are Foundation's")
  func modeNames() {
    #expect(RunLoop.Mode.default.rawValue == "kCFRunLoopDefaultMode")
    #expect(RunLoop.Mode.common.rawValue == "kCFRunLoopCommonModes")
  }

  @Test("the current loop is the same each time it is asked for, and another one on another thread")
  func currentIsStable() async {
    let first = await LoopThreadForTests.run { loop in
      #expect(RunLoop.current === loop)
      #expect(RunLoop.current === RunLoop.current)
      return ObjectIdentifier(RunLoop.current)
    }
    _ = first
    await LoopThreadForTests.run { loop in
      let mine = ObjectIdentifier(loop)
      let thread = Thread { #expect(ObjectIdentifier(RunLoop.current) != mine) }
      thread.start()
      while !thread.isFinished { usleep(500) }
    }
  }

  @Test("a run in a mode fires its timer in that mode and says that it ran")
  func runInMode() async {
    await LoopThreadForTests.run { _ in
      let runLoop = RunLoop.current
      let limit = Date(timeIntervalSinceNow: 0.05)
      var modes: [RunLoop.Mode?] = []
      let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
        modes.append(runLoop.currentMode)
      }
      runLoop.add(timer, forMode: .default)
      #expect(runLoop.run(mode: .default, before: limit))
      #expect(modes == [.default])
      #expect(runLoop.currentMode == nil)
    }
  }

  @Test("the limit date is the fire date of the timer that comes next")
  func limitDate() async {
    await LoopThreadForTests.run { _ in
      let runLoop = RunLoop.current
      let timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: false) { _ in }
      runLoop.add(timer, forMode: .default)
      #expect(runLoop.limitDate(forMode: .default) == timer.fireDate)
      timer.invalidate()
      #expect(runLoop.limitDate(forMode: .default) == nil)
    }
  }

  @Test("a run until now only polls")
  func poll() async {
    await LoopThreadForTests.run { _ in
      let runLoop = RunLoop.current
      var fired = 0
      Timer.scheduledTimer(withTimeInterval: 3600, repeats: false) { _ in fired += 1 }
      let due = Timer(fire: Date(timeIntervalSinceNow: -1), interval: 0, repeats: false) { _ in fired += 10 }
      runLoop.add(due, forMode: .default)
      runLoop.run(until: Date())
      #expect(fired == 10)
    }
  }

  @Test("a timer in the common modes fires in a run of the default mode")
  func commonModes() async {
    await LoopThreadForTests.run { _ in
      let runLoop = RunLoop.current
      var fired = 0
      let timer = Timer(timeInterval: 0.02, repeats: false) { _ in fired += 1 }
      runLoop.add(timer, forMode: .common)
      runLoop.run()
      #expect(fired == 1)
    }
  }

  @Test("a source is told once of each mode that it enters and leaves, and is let go when it is invalidated")
  func schedulingAndLettingGo() async {
    await LoopThreadForTests.run { _ in
      let runLoop = RunLoop.current
      let custom = RunLoop.Mode(rawValue: "Custom")
      var scheduled: [RunLoop.Mode] = []
      weak var kept: Loop.UserSource?
      do {
        let source = Loop.UserSource(
          onSchedule: { _, mode in scheduled.append(mode) },
          onCancel: { _, mode in scheduled.removeAll { $0 == mode } }, perform: {})
        kept = source
        #expect(scheduled == [])
        runLoop.add(source, forMode: .default)
        runLoop.add(source, forMode: .default)
        #expect(scheduled == [.default])
        runLoop.add(source, forMode: custom)
        #expect(scheduled == [.default, custom])
        runLoop.remove(source, forMode: custom)
        #expect(scheduled == [.default])
        runLoop.add(source, forMode: custom)
        #expect(scheduled == [.default, custom])
        source.invalidate()
        #expect(scheduled == [])
      }
      #expect(kept == nil)
    }
  }
}
