import FoundationEssentials
import WakeLoop

/// The timer workloads through the public interface, as an application would write them.
enum WakeLoopTimers {
  /// W1 gives a timer another date, W1n (`renews`) cancels it and schedules a new one.
  static func change(pending: Int, operations: Int, renews: Bool) -> Double {
    let changes = Changes(pending: pending, operations: operations, renews: renews)
    changes.loop.perform { changes.changeSome() }
    let start = monotonicNanoseconds()
    changes.loop.run()
    let end = monotonicNanoseconds()
    require(changes.left == 0, "\(changes.left) operations were not done")
    require(changes.fired == 0, "\(changes.fired) timers an hour ahead fired")
    require(changes.timers.allSatisfy(\.isValid), "a changed timer is not pending")
    return Double(end - start) / Double(operations)
  }

  private final class Changes {
    let loop = Loop.current
    let renews: Bool
    var timers: [Loop.Timer] = []
    var left: Int
    var fired = 0
    var random = SplitMix64(seed: 1)

    init(pending: Int, operations: Int, renews: Bool) {
      self.renews = renews
      left = operations
      for _ in 0..<pending { timers.append(newTimer()) }
    }

    func newTimer() -> Loop.Timer {
      loop.after(.nanoseconds(random.nextDelay()), in: .default) { _ in self.fired += 1 }
    }

    func changeSome() {
      let count = min(left, 10_000)
      for _ in 0..<count {
        let index = Int(random.next(below: UInt64(timers.count)))
        if renews {
          timers[index].invalidate()
          timers[index] = newTimer()
        } else {
          timers[index].fireDate = Date.wake + Double(random.nextDelay()) * 1e-9
        }
      }
      left -= count
      if left > 0 {
        loop.perform { self.changeSome() }
      } else {
        loop.stop()
      }
    }
  }

  /// W2 and W2s: the time to schedule one, and from when all are due to the last handler, for each.
  static func due(count: Int) -> (scheduling: Double, firing: Double) {
    let loop = Loop.current
    let state = Due()
    var random = SplitMix64(seed: 1)
    let start = monotonicNanoseconds()
    // Far enough ahead that all are scheduled before the first is due.
    let first = start + 100_000_000 + Int64(count) * 4_000
    for _ in 0..<count {
      let deadline = first + Int64(random.next(below: 5_000)) * 1_000
      loop.schedule(at: Loop.Instant(nanoseconds: deadline), in: .default) { _ in
        state.fire(deadline)
        if state.fired == count {
          state.end = monotonicNanoseconds()
          loop.stop()
        }
      }
    }
    let scheduled = monotonicNanoseconds()
    require(scheduled < first, "a timer was due before all were scheduled")
    sleep(untilNanoseconds: first + 6_000_000)
    let begin = monotonicNanoseconds()
    loop.run()
    require(state.fired == count, "\(state.fired) of \(count) timers fired")
    require(state.disorder == 0, "\(state.disorder) timers fired after later ones")
    return (Double(scheduled - start) / Double(count), Double(state.end - begin) / Double(count))
  }

  private final class Due {
    var fired = 0
    var disorder = 0
    var previous = Int64.min
    var end: Int64 = 0

    func fire(_ deadline: Int64) {
      if deadline < previous { disorder += 1 }
      previous = deadline
      fired += 1
    }
  }

  /// W7: bytes for a pending timer, its closure included.
  static func memory(pending: Int) -> Double {
    let loop = Loop.current
    let state = Due()
    var random = SplitMix64(seed: 1)
    // The first one makes what every loop has.
    loop.after(.seconds(3_600), in: .default) { _ in state.fired += 1 }
    let before = residentBytes()
    for _ in 0..<pending {
      loop.after(.nanoseconds(random.nextDelay()), in: .default) { _ in state.fired += 1 }
    }
    let after = residentBytes()
    require(state.fired == 0, "\(state.fired) timers an hour ahead fired")
    return (after - before) / Double(pending)
  }
}
