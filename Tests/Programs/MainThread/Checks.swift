import Foundation
import WakeLoop

/// Ends the program as failed unless something holds.
func check(_ holds: Bool, _ what: @autoclosure () -> String, line: Int = #line) {
  if holds { return }
  print("line \(line): \(what())")
  exit(1)
}

/// Ends the program as failed if it is stuck.
func limitTime() {
  alarm(120)
}

/// What each piece of work on the main thread must find, and what all of one pass share.
@MainActor
final class PassWitness {
  private var iteration: UInt64 = 0
  private var stamp: Loop.Stamp?
  private(set) var count = 0

  /// Notes one piece of work.
  func note(_ what: String) {
    check(Thread.isMainThread, "\(what) is not on the main thread")
    let now = Loop.main.stamp
    check(Date.wake == now.wakeDate, "\(what) reads another date than the pass")
    if now.iteration == iteration {
      check(now == stamp, "\(what) sees another stamp in pass \(iteration)")
    } else {
      check(now.iteration > iteration, "\(what) sees an older pass")
      iteration = now.iteration
      stamp = now
    }
    count += 1
  }
}
