import Dispatch
import Foundation
import WakeLoop

/// 100,000 pieces of work from everywhere: none is lost, all are on the main thread, isolated, one stamp a pass.
@MainActor
func manyHops() {
  let each = 25_000
  let witness = PassWitness()
  let total = 4 * each
  let done: @MainActor @Sendable (String) -> Void = { what in
    MainActor.preconditionIsolated()
    witness.note(what)
    if witness.count == total { Loop.main.stop() }
  }
  // Made on the main thread.
  for _ in 0..<each { Task { @MainActor in done("a task made on the main actor") } }
  // Made elsewhere, in bursts.
  Task.detached {
    for _ in 0..<each { Task { @MainActor in done("a task made elsewhere") } }
  }
  // One hop after the other, there and back.
  Task.detached {
    for _ in 0..<each { await MainActor.run { done("a hop") } }
  }
  Thread.detachNewThread {
    for _ in 0..<each {
      DispatchQueue.main.async {
        dispatchPrecondition(condition: .onQueue(.main))
        MainActor.assumeIsolated { done("a block of the main queue") }
      }
    }
  }
  Loop.main.run()
  check(witness.count == total, "\(witness.count) of \(total) have run")
}

/// A main loop that runs in short slices serves everything all the same (blocks 10 ms apart, slices of 20 ms).
@MainActor
func slices() {
  let witness = PassWitness()
  Task.detached {
    for _ in 0..<10 {
      try await Task.sleep(for: .milliseconds(10))
      DispatchQueue.main.async { MainActor.assumeIsolated { witness.note("a block") } }
      await MainActor.run { witness.note("a job") }
    }
  }
  while witness.count < 20 {
    Loop.main.run(mode: .default, for: .milliseconds(20))
    Thread.sleep(forTimeInterval: 0.001)
  }
  // What has been served does not keep the loop awake.
  let before = Loop.main.iteration
  Loop.main.run(mode: .default, for: .milliseconds(200))
  check(Loop.main.iteration - before < 20, "an idle loop made \(Loop.main.iteration - before) passes")
}
