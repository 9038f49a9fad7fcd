import Glibc
import WakeLoop

/// What a pass costs, and what it does when descriptors are ready or a beat is due.
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
        loop.perform { [unowned self] in call() }
      } else {
        loop.stop()
      }
    }
  }

  // MARK: W5

  /// W5: `active` of `count` descriptors are readable, and their readers write to the next ones.
  static func descriptors(count: Int, active: Int, writes: Int) -> Double {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let ring = Ring(count: count)
    var times: [Int64] = []
    for _ in 0..<26 {
      ring.writesLeft = writes
      ring.readsLeft = active + writes
      for index in 0..<active { ring.write(to: index * (count / active)) }
      let start = monotonicNanoseconds()
      ring.loop.run()
      times.append(monotonicNanoseconds() - start)
      require(ring.readsLeft == 0, "\(ring.readsLeft) bytes were lost")
    }
    return Double(times.dropFirst().sorted()[12]) / 1e3
  }

  private final class Ring {
    let loop = Loop.current
    var ends: [Int32] = []
    var writesLeft = 0
    var readsLeft = 0

    init(count: Int) {
      for index in 0..<count {
        var pair: [Int32] = [0, 0]
        let made = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        require(made == 0, "no more descriptors: errno \(errno)")
        ends.append(pair[1])
        do {
          _ = try loop.watch(pair[0], in: .default) { [unowned self] source, _ in
            read(from: source.descriptor, index: index)
          }
        } catch {
          require(false, "\(error)")
        }
      }
    }

    func write(to index: Int) {
      var byte: UInt8 = 1
      require(Glibc.write(ends[index], &byte, 1) == 1, "can't write: errno \(errno)")
    }

    private func read(from descriptor: Int32, index: Int) {
      var byte: UInt8 = 0
      require(Glibc.read(descriptor, &byte, 1) == 1, "a readable descriptor has nothing to read")
      if writesLeft > 0 {
        writesLeft -= 1
        write(to: index + 1 == ends.count ? 0 : index + 1)
      }
      readsLeft -= 1
      if readsLeft == 0 { loop.stop() }
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
