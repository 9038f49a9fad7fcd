import Dispatch
import Foundation
import WakeLoop

private struct Refused: Error, Equatable {}

/// `Loop.main.run { … }` from a synchronous main.
@MainActor
func bodies() {
  // A value, without an error to try.
  let seven = Loop.main.run {
    MainActor.preconditionIsolated()
    check(Thread.isMainThread, "the body is not on the main thread")
    await Task.yield()
    check(Thread.isMainThread, "the body has left the main thread")
    return 7
  }
  check(seven == 7, "the body gave \(seven)")

  do {
    try Loop.main.run { () async throws -> Void in
      try await Task.sleep(for: .milliseconds(1))
      throw Refused()
    }
    check(false, "nothing was thrown")
  } catch {
    check(error is Refused, "threw \(error)")
  }

  // A stop ends one run of it; the body is waited for.
  var stops = 0
  let timer = Loop.main.schedule(every: .milliseconds(2)) { _ in
    stops += 1
    Loop.main.stop()
  }
  let text = Loop.main.run {
    try? await Task.sleep(for: .milliseconds(30), clock: Loop.main.clock)
    return "done"
  }
  timer.invalidate()
  check(text == "done" && stops > 2, "\(text) after \(stops) stops")
  // A stop that came last is not left over for the next run.
  let next = Loop.main.run(mode: .default, for: .milliseconds(1))
  check(next == .timedOut, "the next run has \(next)")

  // One within the other, from a handler.
  var inner = 0
  Loop.main.after(.zero) { _ in
    inner = Loop.main.run {
      await Task.yield()
      return 3
    }
  }
  let outer = Loop.main.run {
    while inner == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    return inner
  }
  check(outer == 3, "the inner body gave \(outer)")
}

/// A main loop whose thread was given to Dispatch says once what becomes of work for it.
@MainActor
func takenByDispatch() {
  Loop.onReport = { report in print("report: \(report.kind)") }
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 0.1)
    // Never run, and not lost in silence.
    let wasAccepted = Loop.mainRemote.perform { print("never") }
    Loop.mainRemote.perform { print("never") }
    print("accepted: \(wasAccepted)")
    exit(0)
  }
  dispatchMain()
}

/// With the executor installed, a task for such a main loop stops the process: it could never go on.
@MainActor
func taskAfterTaken() {
  Thread.detachNewThread {
    while Loop.mainRemote.perform({}) { Thread.sleep(forTimeInterval: 0.01) }
    print("refused")
    fflush(nil)
    Task { @MainActor in print("never") }
    Thread.sleep(forTimeInterval: 5)
    exit(0)
  }
  dispatchMain()
}
