import Dispatch
import Foundation
import WakeLoop

/// What apps use of Dispatch and of the main actor works in the loop, in its passes, with their stamps.
@MainActor
func services() {
  let witness = PassWitness()
  let start = ContinuousClock.now
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) {
    MainActor.assumeIsolated {
      check(start.duration(to: .now) >= .milliseconds(20), "asyncAfter was early")
      witness.note("a block after a delay")
    }
  }
  DispatchQueue.global().async {
    let answer = DispatchQueue.main.sync {
      dispatchPrecondition(condition: .onQueue(.main))
      return MainActor.assumeIsolated {
        witness.note("a block that someone waits for")
        return 42
      }
    }
    check(answer == 42, "main.sync gave \(answer)")
  }
  Task { @MainActor in
    let before = Loop.main.iteration
    let start = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(20))
    check(start.duration(to: .now) >= .milliseconds(20), "Task.sleep was early")
    witness.note("a task after its sleep")
    check(Loop.main.iteration > before, "a sleep ended in the pass in which it began")
    try await Task.sleep(for: .milliseconds(10), clock: Loop.main.clock)
    witness.note("a task after a sleep on the loop's clock")
    let value = await Task.detached { 7 }.value
    witness.note("a task that waited for another")
    check(value == 7, "the other task gave \(value)")
  }
  // Nothing polls: a far date is all there is, and a block comes.
  Loop.main.after(.seconds(3600)) { _ in check(false, "an hour has passed") }
  Loop.main.run { witness.count < 5 }
}

/// Everywhere in the loop's handlers one is on the main actor.
@MainActor
func isolation() {
  var told: Set<String> = []
  @MainActor func note(_ what: String) {
    MainActor.preconditionIsolated()
    told.insert(what)
  }
  Loop.main.after(.zero) { _ in MainActor.assumeIsolated { note("timer") } }
  Loop.main.perform { MainActor.assumeIsolated { note("perform") } }
  Loop.mainRemote.perform { note("remote") }
  Loop.mainRemote.schedule(at: Loop.Instant.now) { _ in note("instant from anywhere") }
  Loop.mainRemote.schedule(at: Date()) { _ in note("alarm from anywhere") }
  let source = Loop.UserSource { MainActor.assumeIsolated { note("source") } }
  Loop.main.add(source, forMode: .default)
  source.signal()
  let observer = Loop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in
    MainActor.assumeIsolated { note("observer") }
  }
  Loop.main.add(observer, forMode: .default)
  Task { @MainActor in note("task") }
  let device = Device(executor: Loop.main.executor)
  Task {
    await device.work()
    await device.finish { note("actor") }
  }
  Loop.main.run { told.count < 9 }
  source.invalidate()
}

/// An actor pinned to a loop.
private actor Device {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var isOpen = false

  init(executor: LoopExecutor) { self.executor = executor }

  func work() {
    check(Thread.isMainThread, "an actor on the main loop's executor is elsewhere")
    isOpen = true
  }

  func finish(_ body: @MainActor @Sendable () -> Void) async {
    check(isOpen, "the actor's state is lost")
    await body()
    check(Thread.isMainThread, "the actor has not come back")
  }
}
