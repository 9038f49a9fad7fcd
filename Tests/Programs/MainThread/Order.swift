import Dispatch
import Foundation
import WakeLoop

/// What one handler asks for runs in the next pass, under one stamp, in the order that was promised.
@MainActor
func orderInOnePass(isInstalled: Bool) {
  var told: [String] = []
  var passes: Set<UInt64> = []
  var stamps: Set<Loop.Stamp> = []
  @MainActor func note(_ what: String) {
    told.append(what)
    passes.insert(Loop.main.iteration)
    stamps.insert(Loop.main.stamp)
  }
  var asked: UInt64 = 0
  Loop.main.after(.zero) { pass in
    asked = pass.iteration
    Task { @MainActor in note("job 1") }
    DispatchQueue.main.async { MainActor.assumeIsolated { note("block 1") } }
    Task { @MainActor in note("job 2") }
    DispatchQueue.main.async { MainActor.assumeIsolated { note("block 2") } }
  }
  Loop.main.run { told.count < 4 }
  let expected =
    isInstalled
    ? ["block 1", "block 2", "job 1", "job 2"] : ["job 1", "block 1", "job 2", "block 2"]
  check(told == expected, "ran in the order \(told)")
  check(passes == [asked + 1], "asked for in pass \(asked), ran in \(passes)")
  check(stamps.count == 1, "\(stamps.count) stamps")

  // What runs in a pass and asks for more gets it in the next: nothing starves.
  var rounds = 0
  var beats = 0
  @MainActor func again() {
    rounds += 1
    Task { @MainActor in again() }
    DispatchQueue.main.async {}
  }
  again()
  Loop.main.after(.milliseconds(20)) { _ in beats += 1 }
  Loop.main.run { beats == 0 }
  check(rounds > 1, "the job that asks for itself ran \(rounds) times")
}

extension Loop {
  /// Runs as long as a condition holds.
  @MainActor
  func run(while condition: @MainActor () -> Bool) {
    run(mode: .default) { MainActor.assumeIsolated { condition() } }
  }
}
