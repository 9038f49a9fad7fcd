import CoreFoundation
import Dispatch
import Foundation
import WakeLoop
import WakeLoopFoundation

/// What Foundation makes impossible, as the documentation says it.
///
/// If one of these changes, so must the page.
@MainActor
func limits() {
  // A wake-up of Foundation's loop is ignored as long as that loop is not in a run of its own.
  Loop.main.hostFoundationRunLoop()
  var told: [String] = []
  let note: @MainActor @Sendable (String) -> Void = { told.append($0) }
  let hasPerformed = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: 0.02)
    RunLoop.main.perform { MainActor.assumeIsolated { note("perform") } }
    CFRunLoopWakeUp(CFRunLoopGetMain())
    hasPerformed.signal()
  }
  Loop.main.run(mode: .default, for: .milliseconds(200))
  hasPerformed.wait()
  check(told == [], "a wake-up of Foundation's was heard: \(told)")
  Loop.main.run(mode: .default, for: .zero)
  check(told == ["perform"], "\(told)")

  // A perform within a perform runs in the same turn, one within that when the loop next wakes.
  told = []
  RunLoop.main.perform {
    RunLoop.main.perform {
      RunLoop.main.perform { MainActor.assumeIsolated { note("third") } }
      MainActor.assumeIsolated { note("second") }
    }
    MainActor.assumeIsolated { note("first") }
  }
  Loop.main.run(mode: .default, for: .milliseconds(50))
  check(told == ["first", "second"], "\(told)")
  Loop.main.run(mode: .default, for: .zero)
  check(told == ["first", "second", "third"], "\(told)")

  // A stop of Foundation's loop ends Foundation's turn, not our run.
  var isOver = false
  foundationTimer(after: 0) { CFRunLoopStop(CFRunLoopGetMain()) }
  foundationTimer(after: 0.02) { isOver = true }
  Loop.main.runMain { !isOver }

  // The first fire of a timer that is made of an interval only, and the tolerance.
  let asked = Date()
  var first: Date?
  let timer = Timer(timeInterval: 30, repeats: true) { _ in
    MainActor.assumeIsolated { first = first ?? Date() }
  }
  timer.tolerance = 1
  check(timer.tolerance == 0, "a tolerance of \(timer.tolerance)")
  RunLoop.main.add(timer, forMode: .default)
  Loop.main.runMain { first == nil }
  check(
    first!.timeIntervalSince(asked) < 20, "the first fire came after \(first!.timeIntervalSince(asked)) s")
  timer.invalidate()

  // The closure of a timer that has ended is never released.
  final class Token: Sendable {}
  weak var token: Token?
  var hasFired = false
  do {
    let kept = Token()
    token = kept
    foundationTimer(after: 0) {
      withExtendedLifetime(kept) {}
      hasFired = true
    }
  }
  Loop.main.runMain { !hasFired }
  Loop.main.runFor(milliseconds: 5)
  check(token != nil, "Foundation has let go of a timer's closure")

  // Notifications that wait for the loop to be idle are posted.
  let name = Notification.Name("idle")
  let watcher = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
    MainActor.assumeIsolated { note("notification") }
  }
  told = []
  NotificationQueue.default.enqueue(Notification(name: name), postingStyle: .whenIdle)
  Loop.main.runFor(milliseconds: 10)
  check(told == ["notification"], "\(told)")
  NotificationCenter.default.removeObserver(watcher)
}
