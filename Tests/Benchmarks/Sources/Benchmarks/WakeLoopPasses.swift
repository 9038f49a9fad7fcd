import WakeLoop

/// What a pass costs, and how late it is for a beat.
enum WakeLoopPasses {
  // MARK: W9

  /// W9: each call asks for the next one, which the next pass makes after a poll.
  static func chain(calls: Int, pending: Int) -> Double {
    let chain = Chain(calls: calls)
    var random = SplitMix64(seed: 1)
    for _ in 0..<pending {
      chain.loop.after(.nanoseconds(random.nextDelay()), in: .default) { _ in chain.fired += 1 }
    }
    let firstPass = chain.loop.iteration
    chain.loop.perform { chain.call() }
    let start = monotonicNanoseconds()
    chain.loop.run()
    let end = monotonicNanoseconds()
    require(chain.left == 0, "\(chain.left) calls were not made")
    require(chain.fired == 0, "\(chain.fired) timers an hour ahead fired")
    let passes = chain.loop.iteration - firstPass
    require(passes >= UInt64(calls), "\(calls) calls took only \(passes) passes")
    return Double(end - start) / Double(calls)
  }

  private final class Chain {
    let loop = Loop.current
    var left: Int
    var fired = 0

    init(calls: Int) { left = calls }

    func call() {
      left -= 1
      if left > 0 {
        loop.perform { self.call() }
      } else {
        loop.stop()
      }
    }
  }

  // MARK: W6

  /// W6: the lateness of a repeating timer against start + k × interval, in microseconds.
  static func beats(milliseconds: Int, count: Int) -> (median: Double, highest: Double) {
    let loop = Loop.current
    var lateness: [Int64] = []
    let interval = Int64(milliseconds) * 1_000_000
    let start = monotonicNanoseconds()
    let first = Loop.Instant(nanoseconds: start + interval)
    let timer = loop.schedule(every: .milliseconds(milliseconds), startingAt: first, in: .default) { _ in
      lateness.append(monotonicNanoseconds() - start - interval * Int64(lateness.count + 1))
      if lateness.count == count { loop.stop() }
    }
    loop.run()
    timer.invalidate()
    require(lateness.count == count, "beats were lost")
    require(lateness.allSatisfy { $0 >= 0 }, "a beat was early")
    lateness.sort()
    return (Double(lateness[count / 2]) / 1e3, Double(lateness[count * 99 / 100]) / 1e3)
  }
}
