import LoopCore
import Testing

@Suite("Timer queue")
struct TimerQueueTests {
  @Test("random programs give what a searched list gives", arguments: 0..<16)
  func randomPrograms(batch: UInt64) {
    for seed in batch * 100..<batch * 100 + 100 {
      let style = TimerProgram.Style(
        instants: [4, 64, 1_000_000][Int(seed % 3)], tolerantOfTen: [0, 5, 10][Int(seed / 3 % 3)],
        aim: [3, 12, 40][Int(seed / 9 % 3)])
      var program = TimerProgram(seed: seed, style: style)
      program.run(steps: 60)
    }
  }

  @Test("instants and tolerances at the ends of the range are ordinary", arguments: 0..<4)
  func extremePrograms(batch: UInt64) {
    for seed in batch * 100..<batch * 100 + 100 {
      var program = TimerProgram(
        seed: seed, style: .init(instants: 1, tolerantOfTen: 5, isExtreme: true, aim: 20))
      program.run(steps: 60)
    }
  }

  @Test("many timers, a few or nearly all of them due, come in order", arguments: 0..<12)
  func manyAtOnce(seed: UInt64) {
    let style = TimerProgram.Style(
      instants: [8, 3_000, 1_000_000_000_000][Int(seed % 3)], tolerantOfTen: [0, 5][Int(seed / 3 % 2)], aim: 0
    )
    var program = TimerProgram(seed: seed, style: style)
    for _ in 0..<2_000 { program.insert() }
    program.queue.verify()
    for _ in 0..<40 { program.step() }
    program.run(steps: 1)
    #expect(program.queue.count == program.model.entries.count)
  }

  @Test("an empty queue never wakes the loop")
  func empty() {
    let queue = TimerQueue()
    var due: [DueTimer] = []
    queue.popDue(now: .max, into: &due)
    #expect(queue.count == 0)
    #expect(queue.earliestWake == .max)
    #expect(queue.earliestDeadline == .max)
    #expect(due.isEmpty)
  }

  @Test("a deadline of .max is counted and never due")
  func never() {
    let queue = TimerQueue()
    let slot = queue.insert(deadline: .max, tolerance: 0, age: 0, payload: 7)
    var due: [DueTimer] = []
    queue.popDue(now: .max, into: &due)
    #expect(due.isEmpty)
    #expect(queue.count == 1)
    #expect(queue.deadline(of: slot) == .max)
    queue.move(slot, deadline: .max - 1, tolerance: 0, age: 1)
    queue.popDue(now: .max, into: &due)
    #expect(due == [DueTimer(deadline: .max - 1, age: 1, payload: 7)])
  }

  @Test("equal deadlines go by age, however many", arguments: [2, 100, 255, 256, 5_000])
  func equalDeadlines(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let queue = TimerQueue()
    for age in (0..<UInt64(count)).shuffled(using: &random) {
      _ = queue.insert(
        deadline: 1_000, tolerance: age % 3 == 0 ? 5 : 0, age: age << 40, payload: UInt(age))
    }
    var due: [DueTimer] = []
    queue.popDue(now: 1_000, into: &due)
    #expect(due.map(\.payload) == Array(0..<UInt(count)))
    queue.verify()
  }

  // With -O this many once ended the process while they were sorted.
  @Test("a hundred thousand timers on five thousand instants come in order")
  func manyOnFewInstants() {
    var random = SplitMix64(seed: 6)
    let queue = TimerQueue()
    for age in 0..<100_000 as Range<UInt64> {
      let deadline = Int64(random.next() % 5_000) * 1_000
      _ = queue.insert(deadline: deadline, tolerance: 0, age: age, payload: UInt(age))
    }
    var due: [DueTimer] = []
    queue.popDue(now: 5_000_000, into: &due)
    #expect(Set(due.map(\.payload)).count == 100_000)
    let isInOrder = zip(due, due.dropFirst()).allSatisfy { ($0.deadline, $0.age) < ($1.deadline, $1.age) }
    #expect(isInOrder)
  }

  @Test("a tolerant timer does not move a strict one's wake-up")
  func strictBesideTolerant() {
    let queue = TimerQueue()
    _ = queue.insert(deadline: 100, tolerance: 600, age: 0, payload: 0)
    #expect(queue.earliestWake == 700)
    let strict = queue.insert(deadline: 300, tolerance: 0, age: 1, payload: 1)
    #expect(queue.earliestWake == 300)
    #expect(queue.earliestDeadline == 100)
    queue.remove(strict)
    #expect(queue.earliestWake == 700)
  }

  @Test("an infinite tolerance never wakes the loop, from whatever deadline")
  func infiniteTolerance() {
    let queue = TimerQueue()
    _ = queue.insert(deadline: -5, tolerance: .max, age: 0, payload: 0)
    #expect(queue.earliestWake == .max)
    #expect(queue.earliestDeadline == -5)
  }

  @Test("slots are reused, so a queue is as large as its fullest moment")
  func slotsAreReused() {
    let queue = TimerQueue()
    var slots: Set<Int32> = []
    for round in 0..<100 {
      let added = (0..<10).map { queue.insert(deadline: 5, tolerance: Int64($0 % 2), age: 0, payload: 0) }
      slots.formUnion(added)
      if round % 2 == 0 {
        for slot in added { queue.remove(slot) }
      } else {
        var due: [DueTimer] = []
        queue.popDue(now: 5, into: &due)
      }
      queue.verify()
    }
    #expect(slots.count == 10)
  }

  @Test("all pending timers can be listed, and the earliest be named")
  func contents() {
    let queue = TimerQueue()
    #expect(queue.earliestTimer == nil)
    _ = queue.insert(deadline: .max, tolerance: 0, age: 0, payload: 1)
    #expect(queue.earliestTimer == nil)
    _ = queue.insert(deadline: 20, tolerance: 0, age: 1, payload: 2)
    _ = queue.insert(deadline: 10, tolerance: 50, age: 2, payload: 3)
    var all: [DueTimer] = []
    queue.copyAll(into: &all)
    #expect(Set(all.map(\.payload)) == [1, 2, 3])
    #expect(queue.earliestTimer == DueTimer(deadline: 10, age: 2, payload: 3))
  }
}
