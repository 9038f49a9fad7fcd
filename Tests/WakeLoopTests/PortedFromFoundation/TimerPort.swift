import Foundation
import Testing
import WakeLoop

// Code that was written for Foundation's main loop keeps its spelling with these two lines.
private typealias RunLoop = Loop
private typealias Timer = Loop.Timer

@Suite("What Foundation's own tests ask of a timer")
struct TimerPort {
  @Test("a timer made for a date reads it back, and a one-shot has no interval")
  func making() async {
    await LoopThreadForTests.run { _ in
      let date = Date()
      let once = Timer(fire: date, interval: 0.3, repeats: false) { _ in }
      #expect(once.fireDate == date)
      #expect(once.timeInterval == 0)
      #expect(once.isValid)
      let repeating = Timer(fire: date, interval: 0.3, repeats: true) { _ in }
      #expect(repeating.fireDate == date)
      #expect(repeating.timeInterval == 0.3)
      #expect(repeating.isValid)
    }
  }

  @Test("a one-shot that is added twice fires once, and may invalidate itself")
  func tickOnce() async {
    await LoopThreadForTests.run { _ in
      var fired = 0
      let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { timer in
        fired += 1
        timer.invalidate()
      }
      let runLoop = RunLoop.current
      runLoop.add(timer, forMode: .default)
      runLoop.run(until: Date(timeIntervalSinceNow: 0.05))
      #expect(fired == 1)
      #expect(!timer.isValid)
    }
  }

  @Test("a repeating timer fires until it is invalidated, never before its time")
  func repeats() async {
    await LoopThreadForTests.run { _ in
      let start = Date()
      var early = 0
      var fired = 0
      let timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { timer in
        #expect(timer.timeInterval == 0.02)
        fired += 1
        if Date().timeIntervalSince(start) < 0.02 * Double(fired) { early += 1 }
        if fired == 3 { timer.invalidate() }
      }
      let runLoop = RunLoop.current
      runLoop.add(timer, forMode: .default)
      runLoop.run(until: Date(timeIntervalSinceNow: 10))
      #expect(fired == 3)
      #expect(early == 0)
    }
  }

  @Test("a repeating timer that is invalidated in its handler is invalid at once and does not fire again")
  func invalidating() async {
    await LoopThreadForTests.run { _ in
      var states: [Bool] = []
      let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { timer in
        states.append(timer.isValid)
        timer.invalidate()
        states.append(timer.isValid)
      }
      let runLoop = RunLoop.current
      runLoop.add(timer, forMode: .default)
      runLoop.run(until: Date(timeIntervalSinceNow: 0.05))
      #expect(states == [true, false])
    }
  }
}
