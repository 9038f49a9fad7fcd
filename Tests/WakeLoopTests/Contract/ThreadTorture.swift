import Foundation
import Synchronization
import Testing
import WakeLoop

@Suite("Contract: many threads at one loop", .serialized)
struct ThreadTorture {
  /// What the handlers count; each number is touched by any thread.
  private final class Counts: Sendable {
    let posted = Atomic<Int>(0)
    let called = Atomic<Int>(0)
    let destroyed = Atomic<Int>(0)
    let made = Atomic<Int>(0)
    let signals = Atomic<Int>(0)
    let served = Atomic<Int>(0)
    let stops = Atomic<Int>(0)
    let finishedThreads = Atomic<Int>(0)
  }

  /// Counts its own end, wherever that comes about.
  private final class Held: Sendable {
    let counts: Counts
    init(_ counts: Counts) {
      self.counts = counts
      counts.made.add(1, ordering: .relaxed)
    }
    deinit { counts.destroyed.add(1, ordering: .relaxed) }
    func touch() {}
  }

  /// Items that the threads share with the loop.
  private struct Shared: Sendable {
    let remote: Loop.Remote
    let counts: Counts
    let source: Loop.UserSource
    let timers: [Loop.Timer]
  }

  /// Does random things to the loop until it is told to end.
  private static func torment(_ shared: Shared, seed: UInt64, for seconds: Double) {
    var random = SplitMix64(seed: seed)
    let end = Date(timeIntervalSinceNow: seconds)
    var mine: [Loop.Timer] = []
    var number = 0
    while Date() < end {
      let counts = shared.counts
      let held = Held(counts)
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2:
        counts.posted.add(1, ordering: .relaxed)
        shared.remote.perform {
          held.touch()
          counts.called.add(1, ordering: .relaxed)
        }
      case 3:
        counts.posted.add(1, ordering: .relaxed)
        shared.remote.perform(inModes: [.default, .tracking]) {
          held.touch()
          counts.called.add(1, ordering: .relaxed)
        }
      case 4:
        mine.append(
          shared.remote.after(.microseconds(Int64.random(in: 0...900, using: &random))) { _ in held.touch() })
      case 5: mine.append(shared.remote.schedule(every: .microseconds(300)) { _ in held.touch() })
      case 6: mine.randomElement(using: &random)?.invalidate()
      case 7: mine.randomElement(using: &random)?.isPaused.toggle()
      case 8:
        let timer = shared.timers.randomElement(using: &random)
        timer?.isPaused.toggle()
        _ = timer?.isValid
      case 9:
        counts.signals.add(1, ordering: .relaxed)
        shared.source.signal()
      case 10: shared.remote.wakeUp()
      default:
        counts.stops.add(1, ordering: .relaxed)
        shared.remote.stop()
      }
      number += 1
      if mine.count > 40 {
        for timer in mine { timer.invalidate() }
        mine.removeAll()
      }
      if number % 16 == 0 { usleep(UInt32.random(in: 0...200, using: &random)) }
    }
    for timer in mine { timer.invalidate() }
    shared.counts.finishedThreads.add(1, ordering: .sequentiallyConsistent)
    shared.remote.stop()
  }

  @Test(
    "Posts, timers, pauses, cancels, signals, wakes and stops of four threads are all acted on, each once")
  func torture() async {
    let counts = Counts()
    let remote = await LoopThreadForTests.run { loop -> Loop.Remote in
      let hold = loop.holdOpen()
      let source = Loop.UserSource { counts.served.add(1, ordering: .relaxed) }
      loop.add(source, forMode: .common)
      let timers = (0..<8).map { number in
        loop.schedule(every: .microseconds(100 + 40 * number)) { _ in }
      }
      // Some of them work for an object that goes while others ask whether they are valid.
      final class Owner {}
      var owners = (0..<4).map { _ in Owner() }
      let owned = owners.map { loop.schedule(every: .microseconds(500), owner: $0) { _, _ in } }
      let shared = Shared(remote: loop.remote, counts: counts, source: source, timers: timers + owned)
      for thread in 0..<4 as Range<UInt64> {
        Thread { Self.torment(shared, seed: thread, for: 2) }.start()
      }
      var random = SplitMix64(seed: 99)
      while counts.finishedThreads.load(ordering: .sequentiallyConsistent) < 4 {
        let mode = Bool.random(using: &random) ? Loop.Mode.default : .tracking
        if Bool.random(using: &random) {
          loop.after(.zero) { _ in loop.run(mode: .tracking, for: .microseconds(200)) }
        }
        // A nested run may take the stop that is meant for this one.
        loop.run(mode: mode, for: .milliseconds(50))
        if Int.random(in: 0..<64, using: &random) == 0 { _ = owners.popLast() }
      }
      // Whatever was accepted before is served by now, since nothing of it is due later.
      loop.run(mode: .default, for: .zero)
      loop.run(mode: .default, for: .zero)
      #expect(counts.called.load(ordering: .relaxed) == counts.posted.load(ordering: .relaxed))
      let signals = counts.signals.load(ordering: .relaxed)
      let served = counts.served.load(ordering: .relaxed)
      #expect(served <= signals && (signals == 0 || served > 0))
      for timer in timers {
        timer.isPaused = false
        #expect(timer.isValid)
      }
      var beats = 0
      let last = loop.schedule(every: .microseconds(50)) { _ in
        beats += 1
        if beats == 20 { loop.stop() }
      }
      #expect(loop.run(mode: .default, for: .seconds(60)) == .stopped)
      last.invalidate()
      hold.invalidate()
      return loop.remote
    }
    while !remote.hasEnded { usleep(200) }
    // The closures of the last posts may still be on their way out of the threads that made them.
    for _ in 0..<5_000 where counts.destroyed.load(ordering: .relaxed) != counts.made.load(ordering: .relaxed)
    {
      usleep(1_000)
    }
    #expect(counts.destroyed.load(ordering: .relaxed) == counts.made.load(ordering: .relaxed))
  }

  @Test("A signal, a pause and a cancel sent while the loop is just taking an item in are not lost")
  func racesWithAdding() async {
    await LoopThreadForTests.run { loop in
      let counts = Counts()
      let hold = loop.holdOpen()
      final class Box: Sendable {
        let turn = Atomic<Int>(0)
        let item = Mutex<Loop.UserSource?>(nil)
      }
      let box = Box()
      let rounds = 3_000
      let thread = Thread {
        for round in 1...rounds {
          while box.turn.load(ordering: .acquiring) != round {}
          let source = box.item.withLock { $0 }
          source?.isPaused = false
          source?.signal()
        }
      }
      thread.start()
      for round in 1...rounds {
        let source = Loop.UserSource {
          counts.served.add(1, ordering: .relaxed)
          loop.stop()
        }
        source.isPaused = true
        box.item.withLock { $0 = source }
        box.turn.store(round, ordering: .releasing)
        loop.add(source, forMode: .common)
        loop.run(mode: .default, for: .seconds(20))
        #expect(counts.served.load(ordering: .relaxed) == round)
        source.invalidate()
        if counts.served.load(ordering: .relaxed) != round { break }
      }
      hold.invalidate()
    }
  }

  @Test(
    "Posts that come after the loop's end are refused and destroyed before the call returns; none is lost")
  func endsUnderFire() async {
    for round in 0..<20 as Range<UInt64> {
      let counts = Counts()
      await withCheckedContinuation { continuation in
        Thread {
          let loop = Loop.current
          let remote = loop.remote
          for _ in 0..<3 {
            Thread {
              for _ in 0..<2_000 {
                let held = Held(counts)
                let isAccepted = remote.perform {
                  held.touch()
                  counts.called.add(1, ordering: .relaxed)
                }
                counts.posted.add(isAccepted ? 1 : 0, ordering: .relaxed)
              }
              counts.finishedThreads.add(1, ordering: .sequentiallyConsistent)
            }.start()
          }
          loop.run(mode: .default, for: .microseconds(Int64(200 + 100 * round)))
          continuation.resume()
        }.start()
      }
      while counts.finishedThreads.load(ordering: .sequentiallyConsistent) < 3 { usleep(500) }
      for _ in 0..<5_000
      where counts.destroyed.load(ordering: .relaxed) != counts.made.load(ordering: .relaxed) {
        usleep(1_000)
      }
      #expect(counts.destroyed.load(ordering: .relaxed) == 6_000)
      #expect(counts.called.load(ordering: .relaxed) <= counts.posted.load(ordering: .relaxed))
    }
  }
}
