import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Sleeps in virtual time", .serialized)
struct VirtualSleepTests {
  @Test("an advance carries sleepers on, up to those of its very last instant")
  func advance() throws {
    let virtual = VirtualLoop()
    let clock = virtual.loop.clock
    let begin = virtual.now
    let ends = Ends()
    let sleeper = Task(executorPreference: virtual.loop.taskExecutor) {
      for number in 1... {
        try await clock.sleep(until: clock.now + .seconds(1))
        ends.add(number, at: clock.now)
      }
    }
    virtual.advance(by: .seconds(3))
    #expect(ends.all.map(\.number) == [1, 2, 3])
    #expect(ends.all.map { begin.duration(to: $0.instant) } == [.seconds(1), .seconds(2), .seconds(3)])
    virtual.advance(by: .milliseconds(999))
    #expect(ends.all.count == 3)
    virtual.advance(by: .milliseconds(1))
    #expect(ends.all.count == 4)
    // What is on a loop's executor has to end before the loop does.
    sleeper.cancel()
    virtual.advance(by: .zero)
    #expect(virtual.loop.items.isEmpty)
  }

  @Test(
    "10,000 sleepers cancelled at random end at their moment or at that of the cancel, and leave no timer",
    arguments: [1, 2, 3])
  func cancelledAtRandom(seed: UInt64) {
    let count = 10_000
    let virtual = VirtualLoop()
    let loop = virtual.loop
    let clock = loop.clock
    let executor = loop.taskExecutor
    let begin = virtual.now
    var random = SplitMix64(seed: seed)
    let ends = Ends()
    var expected: [Loop.Instant] = []
    var tasks: [Task<Void, Never>] = []
    for number in 0..<count {
      let deadline = begin + .microseconds(Int64(random.next() % 3_600_000_000))
      expected.append(deadline)
      tasks.append(
        Task(executorPreference: executor) {
          do { try await clock.sleep(until: deadline) } catch { ends.addCancelled(number) }
          ends.add(number, at: clock.now)
        })
    }
    // All are asleep before the first is cancelled.
    virtual.advance(by: .zero)
    #expect(loop.items.count == count)
    var cancelled: Set<Int> = []
    for number in 0..<count where random.next() % 3 != 0 {
      let moment = begin + .microseconds(Int64(random.next() % 3_600_000_000))
      if moment < expected[number] {
        expected[number] = moment
        cancelled.insert(number)
      }
      let task = tasks[number]
      loop.schedule(at: moment) { _ in task.cancel() }
    }
    virtual.advance(by: .seconds(3_600))
    var found: [Int: Loop.Instant] = [:]
    for end in ends.all { found[end.number] = end.instant }
    #expect(ends.all.count == count)
    #expect((0..<count).allSatisfy { found[$0] == expected[$0] })
    #expect(ends.cancelled == cancelled)
    #expect(cancelled.count > count / 10 && cancelled.count < count * 9 / 10)
    // In the order of their moments.
    let order = ends.all.map(\.instant)
    #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(loop.items.isEmpty)
  }
}

/// Which sleepers have ended and when, in order.
// Sendable is unchecked because the lock guards the values.
private final class Ends: @unchecked Sendable {
  private let lock = NSLock()
  private var ends: [(number: Int, instant: Loop.Instant)] = []
  private var cancels: Set<Int> = []

  func add(_ number: Int, at instant: Loop.Instant) { lock.withLock { ends.append((number, instant)) } }
  func addCancelled(_ number: Int) { _ = lock.withLock { cancels.insert(number) } }
  var all: [(number: Int, instant: Loop.Instant)] { lock.withLock { ends } }
  var cancelled: Set<Int> { lock.withLock { cancels } }
}
