import Dispatch
import Foundation
import WakeLoop

/// 100,000 blocks and jobs while timers, blocks and jobs nest runs all the time: each runs once, by its pass's stamp.
@MainActor
func nestedHops() {
  let each = 50_000
  let hops = NestedHops(each: each)
  let timers = (1...3).map { milliseconds in
    Loop.main.schedule(every: .milliseconds(milliseconds)) { _ in
      MainActor.assumeIsolated { hops.nest(in: "timer") }
    }
  }
  Thread.detachNewThread {
    for number in 0..<each {
      DispatchQueue.main.async { MainActor.assumeIsolated { hops.note(number, of: "block") } }
      if number % 1_000 == 0 { Thread.sleep(forTimeInterval: 0.001) }
    }
  }
  Task.detached {
    for number in 0..<each {
      Task { @MainActor in hops.note(number, of: "job") }
      if number % 1_000 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    }
  }
  Loop.main.run { hops.left > 0 }
  for timer in timers { timer.invalidate() }
  check(hops.counts.values.allSatisfy { $0.allSatisfy { $0 == 1 } }, "some are lost")
  for what in ["timer", "block", "job"] {
    check(hops.nestings[what, default: 0] > 0, "runs were nested so: \(hops.nestings)")
  }
}

@MainActor
private final class NestedHops {
  private(set) var left: Int
  private(set) var counts: [String: [Int]]
  private(set) var nestings: [String: Int] = [:]
  private var stamps: [UInt64: Loop.Stamp] = [:]
  private var depth = 0

  init(each: Int) {
    left = 2 * each
    counts = ["block": Array(repeating: 0, count: each), "job": Array(repeating: 0, count: each)]
  }

  /// Notes that a piece of work runs; some of them nest a run.
  func note(_ number: Int, of what: String) {
    look(what)
    counts[what]![number] += 1
    check(counts[what]![number] == 1, "\(what) \(number) has run twice")
    left -= 1
    if number % 1_000 == 500 { nest(in: what) }
  }

  /// Nests a run for a moment, at most three deep.
  func nest(in what: String) {
    if depth == 3 { return }
    depth += 1
    nestings[what, default: 0] += 1
    let before = Loop.main.stamp
    Loop.main.run(mode: .default, for: .microseconds(300))
    check(Loop.main.stamp == before, "in a \(what): the outer pass's stamp is not back")
    look(what)
    depth -= 1
  }

  /// Checks the thread, the isolation and that one pass has one stamp.
  private func look(_ what: String) {
    check(Thread.isMainThread, "a \(what) is not on the main thread")
    MainActor.preconditionIsolated()
    let stamp = Loop.main.stamp
    check(Date.wake == stamp.wakeDate, "a \(what) reads another date than its pass")
    if let known = stamps[stamp.iteration] {
      check(known == stamp, "a \(what) sees another stamp in pass \(stamp.iteration)")
    } else {
      stamps[stamp.iteration] = stamp
    }
  }
}
