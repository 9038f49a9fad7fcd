import Foundation
import WakeLoop

/// Ends the program as failed unless something holds.
func check(_ holds: Bool, _ what: @autoclosure () -> String, line: Int = #line) {
  if holds { return }
  print("line \(line): \(what())")
  exit(1)
}

extension Loop {
  /// Runs as long as a condition of the main actor's holds.
  @MainActor
  func runMain(mode: Mode = .default, while condition: @MainActor () -> Bool) {
    run(mode: mode) { MainActor.assumeIsolated { condition() } }
  }

  /// Runs in a mode for a while, whatever comes.
  @MainActor
  func runFor(milliseconds: Int, mode: Mode = .default) {
    let end = Loop.Instant.now + .milliseconds(milliseconds)
    while Loop.Instant.now < end { run(mode: mode, for: Loop.Instant.now.duration(to: end)) }
  }
}

/// A timer of Foundation's on the main run loop; its block is on the main actor.
@MainActor @discardableResult
func foundationTimer(
  after delay: TimeInterval, every interval: TimeInterval = 0, in mode: RunLoop.Mode = .default,
  _ block: @escaping @MainActor @Sendable () -> Void
) -> Timer {
  let timer = Timer(fire: Date() + delay, interval: interval, repeats: interval > 0) { _ in
    check(Thread.isMainThread, "a timer of Foundation's is not on the main thread")
    MainActor.assumeIsolated { block() }
  }
  RunLoop.main.add(timer, forMode: mode)
  return timer
}
