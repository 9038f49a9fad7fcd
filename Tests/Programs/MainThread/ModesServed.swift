import Dispatch
import Foundation
import WakeLoop

/// Runs in any common mode serve the main queue and the main actor; runs in private modes leave both waiting.
@MainActor
func modesServed() {
  let growing = Loop.Mode("growing")
  let gesture = Loop.Mode("NSEventTrackingRunLoopMode")
  for mode in [growing, gesture] {
    leftWaiting(in: mode)
    Loop.main.addCommonMode(mode)
  }
  for mode in [Loop.Mode.default, .tracking, growing, gesture] {
    served(in: mode)
    nestedFromDefault(in: mode, isCommon: true)
  }
  let lone = Loop.Mode("lone")
  leftWaiting(in: lone)
  nestedFromDefault(in: lone, isCommon: false)
  // What waits in the queue keeps no private mode going.
  let asked = Asked()
  asked.askHere()
  let result = Loop.main.run(mode: Loop.Mode("empty"), for: .seconds(60))
  check(result == .finished, "the run in an empty private mode has \(result)")
  served(in: .default)
  check(asked.isServed, "what waited is lost")
}

/// Blocks and jobs that are asked for, and the modes in which they run.
@MainActor
private final class Asked {
  private(set) var blocks = 0
  private(set) var jobs = 0
  private var expected = 0
  private let witness = PassWitness()

  var isServed: Bool { blocks == expected && jobs == expected }

  /// Asks for a block and a job on the main thread.
  func askHere() {
    expected += 1
    DispatchQueue.main.async { MainActor.assumeIsolated { self.note(block: true) } }
    Task { @MainActor in note(block: false) }
  }

  /// The same on another thread; returns when they are asked for.
  func askElsewhere() {
    expected += 1
    let isAsked = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      DispatchQueue.main.async { MainActor.assumeIsolated { self.note(block: true) } }
      Task { @MainActor in self.note(block: false) }
      isAsked.signal()
    }
    isAsked.wait()
  }

  private func note(block: Bool) {
    MainActor.preconditionIsolated()
    witness.note(block ? "a block" : "a job")
    if block { blocks += 1 } else { jobs += 1 }
  }
}

@MainActor
private func served(in mode: Loop.Mode) {
  let asked = Asked()
  asked.askHere()
  asked.askElsewhere()
  Loop.main.run(mode: mode) { MainActor.assumeIsolated { !asked.isServed } }
  check(asked.isServed, "a run in \(mode) has served \(asked.blocks) blocks and \(asked.jobs) jobs of 2")
}

/// Lets a private mode beat five times with blocks and jobs waiting, some from the start and some that come meanwhile.
@MainActor
private func beat(in mode: Loop.Mode, _ asked: Asked) {
  var beats = 0
  let timer = Loop.main.schedule(every: .milliseconds(1), in: mode) { _ in
    beats += 1
    if beats == 2 { MainActor.assumeIsolated { asked.askElsewhere() } }
  }
  let before = Loop.main.iteration
  Loop.main.run(mode: mode) { beats < 5 }
  timer.invalidate()
  check(beats == 5, "the run in \(mode) has ended after \(beats) beats")
  check(asked.blocks == 0 && asked.jobs == 0, "a run in the private mode \(mode) has served the main queue")
  // One pass a beat, entry, and at most a few that someone woke: what waits does not make the mode spin.
  let passes = Loop.main.iteration - before
  check(passes < 20, "\(passes) passes for five beats in \(mode)")
}

@MainActor
private func leftWaiting(in mode: Loop.Mode) {
  let asked = Asked()
  asked.askHere()
  beat(in: mode, asked)
  // It has waited, and any common mode may have it.
  Loop.main.run(mode: .tracking) { MainActor.assumeIsolated { !asked.isServed } }
  check(asked.isServed, "after \(mode), \(asked.blocks) blocks and \(asked.jobs) jobs of 2 have run")
}

/// A run in the mode within a timer of a run in the default mode serves both, or leaves both to the outer run.
@MainActor
private func nestedFromDefault(in mode: Loop.Mode, isCommon: Bool) {
  let asked = Asked()
  var isOver = false
  Loop.main.after(.zero) { pass in
    MainActor.assumeIsolated {
      asked.askHere()
      if isCommon {
        asked.askElsewhere()
        Loop.main.run(mode: mode) { MainActor.assumeIsolated { !asked.isServed } }
        check(asked.isServed, "a nested run in \(mode) has not served the main queue")
      } else {
        beat(in: mode, asked)
      }
      check(Loop.main.stamp == pass.stamp, "the outer pass's stamp is not back")
      isOver = true
    }
  }
  Loop.main.run { !isOver || !asked.isServed }
}
