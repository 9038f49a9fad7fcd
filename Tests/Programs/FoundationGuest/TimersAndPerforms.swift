import Foundation
import WakeLoop
import WakeLoopFoundation

/// Timers of Foundation's fire in the passes of the loop, on their grid, never early, by one stamp with the rest.
@MainActor
func timers() {
  Loop.main.hostFoundationRunLoop()
  let asked = Date()
  var beats: [Date] = []
  var stamps: [Loop.Stamp] = []
  let beating = foundationTimer(after: 0.02, every: 0.02) {
    beats.append(Date())
    stamps.append(Loop.main.stamp)
    check(Date.wake == Loop.main.wakeDate, "a beat is in no pass")
  }
  var once: Date?
  foundationTimer(after: 0.035) { once = Date() }
  // A timer of ours goes on beside them.
  var ours = 0
  let other = Loop.main.schedule(every: .milliseconds(10)) { _ in ours += 1 }
  Loop.main.runMain { beats.count < 10 }
  other.invalidate()
  beating.invalidate()
  for (index, beat) in beats.enumerated() {
    let due = 0.02 * Double(index + 1)
    // Foundation reads the wall to set its monotonic deadline.
    check(
      beat.timeIntervalSince(asked) >= due - 0.001,
      "beat \(index) came after \(beat.timeIntervalSince(asked)) s")
  }
  check(Set(stamps).count == beats.count, "\(beats.count) beats in \(Set(stamps).count) passes")
  check(
    once.map { $0.timeIntervalSince(asked) >= 0.034 } == true, "the single one: \(String(describing: once))")
  check(ours > 0, "a timer of ours stood still")

  // Dated again, earlier and later, and started in handlers of ours and of Foundation's.
  var told: [String] = []
  let later = foundationTimer(after: 3600) { told.append("moved to now") }
  Loop.main.after(.milliseconds(5)) { _ in
    later.fireDate = Date()
    foundationTimer(after: 0) { told.append("moved away") }.fireDate = .distantFuture
    foundationTimer(after: 0.02) {
      told.append("from ours")
      foundationTimer(after: 0.02) { told.append("from Foundation's") }
    }
  }
  Loop.main.runMain { told.count < 3 }
  check(told == ["moved to now", "from ours", "from Foundation's"], "\(told)")
}

/// Performs run before the loop sleeps, in the order of asking; a stop there ends the run.
@MainActor
func performs() {
  Loop.main.hostFoundationRunLoop()
  var told: [Int] = []
  let note: @MainActor @Sendable (Int) -> Void = { number in
    check(Thread.isMainThread, "a perform is not on the main thread")
    told.append(number)
    if number == 5 { Loop.main.stop() }
  }
  // Before the run, and in a handler, where they run under the stamp of the handler.
  for number in 0..<3 { RunLoop.main.perform { MainActor.assumeIsolated { note(number) } } }
  Loop.main.after(.milliseconds(5)) { pass in
    for number in 3..<6 {
      RunLoop.main.perform {
        MainActor.assumeIsolated {
          check(Loop.main.stamp == pass.stamp, "perform \(number) has another stamp than the one who asked")
          note(number)
        }
      }
    }
  }
  // Nothing else wakes the loop.
  Loop.main.run()
  check(told == Array(0..<6), "\(told)")
}

/// With a far date only, the loop makes no passes.
@MainActor
func idle() {
  Loop.main.hostFoundationRunLoop()
  foundationTimer(after: 3600, every: 60) { check(false, "an hour has passed") }
  foundationTimer(after: 1e9, in: .common) { check(false, "a generation has passed") }
  Loop.main.runFor(milliseconds: 20)
  let before = Loop.main.iteration
  Loop.main.run(mode: .default, for: .milliseconds(500))
  // Entry, the pass that slept, and one for a clock that is a little early.
  check(Loop.main.iteration - before <= 3, "\(Loop.main.iteration - before) stamps in an idle half second")
}

/// A timer that another thread adds wakes the loop; what it performs waits for a pass, and a wake-up makes one.
@MainActor
func lateComers() {
  Loop.main.hostFoundationRunLoop()
  let hasDescriptors = FoundationGuest.looksForDescriptors
  foundationTimer(after: 3600) {}
  Loop.main.runFor(milliseconds: 10)
  var told: [String] = []
  let note: @MainActor @Sendable (String) -> Void = { what in
    told.append(what)
    Loop.main.stop()
  }
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 0.05)
    let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in
      MainActor.assumeIsolated { note("timer") }
    }
    RunLoop.main.add(timer, forMode: .default)
    if !hasDescriptors { Loop.mainRemote.wakeUp() }
  }
  Loop.main.run()
  check(told == ["timer"], "\(told)")
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 0.05)
    RunLoop.main.perform { MainActor.assumeIsolated { note("perform") } }
    Loop.mainRemote.wakeUp()
  }
  Loop.main.run()
  check(told == ["timer", "perform"], "\(told)")
}
