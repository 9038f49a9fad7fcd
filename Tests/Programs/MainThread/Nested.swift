import Dispatch
import Foundation
import WakeLoop

/// Nested runs from a timer serve blocks and jobs; from within a block or a job they don't, and nothing is lost.
@MainActor
func nestedRuns(isInstalled: Bool) {
  for _ in 0..<3 {
    nestedInTimer()
    nestedInBlock()
    nestedInJob()
  }
}

/// Counts a block and a job that are asked for now.
@MainActor
private final class Pair {
  var blocks = 0
  var jobs = 0
  func ask() {
    DispatchQueue.main.async { MainActor.assumeIsolated { self.blocks += 1 } }
    Task { @MainActor in self.jobs += 1 }
  }
  var isServed: Bool { blocks == 1 && jobs == 1 }
}

@MainActor
private func nestedInTimer() {
  let pair = Pair()
  var wasServedInside = false
  Loop.main.after(.zero) { pass in
    pair.ask()
    Loop.main.run { !pair.isServed }
    wasServedInside = pair.isServed
    check(Loop.main.stamp == pass.stamp, "the outer pass's stamp is not back")
  }
  Loop.main.run { !wasServedInside }
}

@MainActor
private func nestedInBlock() {
  let pair = Pair()
  var isOver = false
  DispatchQueue.main.async {
    MainActor.assumeIsolated {
      let before = Loop.main.stamp
      pair.ask()
      var beats = 0
      let timer = Loop.main.schedule(every: .milliseconds(1)) { _ in beats += 1 }
      Loop.main.run { beats < 3 }
      timer.invalidate()
      check(pair.blocks == 0 && pair.jobs == 0, "a run within a block has served the serial queue")
      check(Loop.main.stamp == before, "the outer pass's stamp is not back")
      isOver = true
    }
  }
  Loop.main.run { !isOver || !pair.isServed }
}

@MainActor
private func nestedInJob() {
  let pair = Pair()
  var isOver = false
  Task { @MainActor in runWithin() }
  // Runs are not for async code to ask: here, a synchronous function that a job calls.
  func runWithin() {
    let before = Loop.main.stamp
    pair.ask()
    var beats = 0
    let timer = Loop.main.schedule(every: .milliseconds(1)) { _ in beats += 1 }
    Loop.main.run { beats < 3 }
    timer.invalidate()
    check(pair.blocks == 0 && pair.jobs == 0, "a run within a job has served others")
    check(Loop.main.stamp == before, "the outer pass's stamp is not back")
    isOver = true
  }
  Loop.main.run { !isOver || !pair.isServed }
}
