import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: threads and wake-ups")
struct ThreadCases {
  @Test("Case 3: a stop of a loop whose thread has ended does nothing, and a post says that it was not taken")
  func stopAfterEnd() async {
    let remote = await LoopThreadForTests.run { $0.remote }
    while !remote.hasEnded { usleep(200) }
    remote.stop()
    remote.wakeUp()
    let ended = SharedLog()
    do {
      let token = Token { ended.append("destroyed") }
      #expect(remote.perform(Self.holding(token)) == false)
    }
    #expect(ended.entries == ["destroyed"])
  }

  private static func holding(_ token: Token) -> @Sendable () -> Void {
    nonisolated(unsafe) let token = token  // only ever held, and released where the post is refused
    return { token.touch() }
  }

  /// What the signal handler stops; set before the handler is installed and not changed after.
  nonisolated(unsafe) private static var remoteOfHandler: Loop.Remote?

  @Test("Case 3: a stop from a signal handler ends the sleeping run, and one before the run is not lost")
  func stopFromSignal() async {
    let results = await LoopThreadForTests.run { loop -> [Loop.RunResult] in
      ThreadCases.remoteOfHandler = loop.remote
      // The thread may have been started by one that blocks all signals.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      signal(SIGUSR2) { _ in ThreadCases.remoteOfHandler?.stop() }
      defer { signal(SIGUSR2, SIG_DFL) }
      let hold = loop.holdOpen()
      defer { hold.invalidate() }
      var results: [Loop.RunResult] = []
      raise(SIGUSR2)
      results.append(loop.run(mode: .default, for: .seconds(60)))
      let thread = pthread_self()
      onceWaiting(loop.remote) { pthread_kill(thread, SIGUSR2) }
      results.append(loop.run(mode: .default, for: .seconds(60)))
      return results
    }
    #expect(results == [.stopped, .stopped])
  }

  @Test("Case 8: a timer added from another thread while the loop sleeps acts without any other event")
  func addedWhileSleeping() async {
    let log = await LoopThreadForTests.run { loop -> [String] in
      let log = SharedLog()
      let remote = loop.remote
      loop.after(.seconds(3600)) { _ in log.append("far") }
      onceWaiting(remote) {
        remote.after(.milliseconds(1)) { _ in
          log.append("added")
          remote.stop()
        }
      }
      log.append("\(loop.run(mode: .default, for: .seconds(60)))")
      return log.entries
    }
    #expect(log == ["added", "stopped"])
  }

  @Test("Case 8: the last item removed from another thread while the loop sleeps finishes the run")
  func lastRemovedWhileSleeping() async {
    let result = await LoopThreadForTests.run { loop -> Loop.RunResult in
      let timer = loop.after(.seconds(3600)) { _ in }
      onceWaiting(loop.remote) { timer.invalidate() }
      return loop.run(mode: .default, for: .seconds(60))
    }
    #expect(result == .finished)
  }

  @Test("Case 8: the next deadline removed, or re-dated, from another thread leaves the loop to the others")
  func nextRemovedWhileSleeping() async {
    let log = await LoopThreadForTests.run { loop -> [String] in
      let log = SharedLog()
      let remote = loop.remote
      let next = loop.after(.seconds(20)) { _ in log.append("removed") }
      let far = loop.after(.seconds(3600)) { _ in
        log.append("re-dated")
        loop.stop()
      }
      onceWaiting(remote) {
        next.invalidate()
        remote.perform { far.fireDate = Date(timeIntervalSinceNow: 0.05) }
      }
      log.append("\(loop.run(mode: .default, for: .seconds(60)))")
      return log.entries
    }
    #expect(log == ["re-dated", "stopped"])
  }

  @Test(
    "Case 32: a thousand posts, whatever the loop was doing, run a thousand times, each once and in order")
  func postsAreNotLost() async {
    let numbers = await LoopThreadForTests.run { loop -> [Int] in
      // Only the loop's thread touches it.
      final class Numbers: @unchecked Sendable { var list: [Int] = [] }
      let numbers = Numbers()
      let remote = loop.remote
      let hold = loop.holdOpen()
      let poster = Thread {
        var random = SystemRandomNumberGenerator()
        for number in 0..<1_000 {
          remote.perform {
            numbers.list.append(number)
            if number == 999 { remote.stop() }
          }
          // Sometimes the loop has gone to sleep between two posts, sometimes it is just about to.
          if number % 8 == 0 { usleep(UInt32.random(in: 0...120, using: &random)) }
        }
      }
      poster.start()
      _ = loop.run(mode: .default, for: .seconds(60))
      hold.invalidate()
      return numbers.list
    }
    #expect(numbers == Array(0..<1_000))
  }

  @Test("Case 32: posts of several threads all run, those of each thread in its order")
  func postsOfManyThreads() async {
    let numbers = await LoopThreadForTests.run { loop -> [[Int]] in
      final class Numbers: @unchecked Sendable {
        var lists = [[Int]](repeating: [], count: 4)
        var total: Int { lists.reduce(0) { $0 + $1.count } }
      }
      let numbers = Numbers()
      let remote = loop.remote
      let hold = loop.holdOpen()
      for poster in 0..<4 {
        Thread {
          for number in 0..<1_000 {
            remote.perform {
              numbers.lists[poster].append(number)
              if numbers.total == 4_000 { remote.stop() }
            }
          }
        }.start()
      }
      _ = loop.run(mode: .default, for: .seconds(60))
      hold.invalidate()
      return numbers.lists
    }
    for list in numbers { #expect(list == Array(0..<1_000)) }
  }

  @Test("Case 33: a timer invalidated from another thread, also during its handler, is not called after that")
  func invalidatedDuringHandler() async {
    for _ in 0..<20 {
      let late = await LoopThreadForTests.run { loop -> Int in
        final class Counts: @unchecked Sendable {
          private let lock = NSLock()
          private var calls = 0
          private var callsAtCancel: Int?
          func call() { lock.withLock { calls += 1 } }
          func cancelled() { lock.withLock { callsAtCancel = calls } }
          var late: Int { lock.withLock { calls - (callsAtCancel ?? calls) } }
          var hasBegun: Bool { lock.withLock { calls > 0 } }
        }
        let counts = Counts()
        let hold = loop.holdOpen()
        let remote = loop.remote
        let timer = loop.schedule(every: .microseconds(50)) { _ in
          counts.call()
          usleep(20)
        }
        Thread {
          while !counts.hasBegun { usleep(50) }
          timer.invalidate()
          // A call that had begun before the cancel was counted before it.
          counts.cancelled()
          usleep(3_000)
          remote.stop()
        }.start()
        _ = loop.run(mode: .default, for: .seconds(60))
        hold.invalidate()
        return counts.late
      }
      // One call may have been decided on just before the cancel and have counted itself just after.
      #expect(late <= 1)
    }
  }
}
