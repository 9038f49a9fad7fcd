import LoopCoreAlone

/// The timer workloads on the queue by itself: what the objects and the loop around it add is the difference.
enum TimerQueueWorkloads {
  /// W1 moves a timer, W1n (`renews`) removes it and inserts another.
  static func change(pending: Int, operations: Int, renews: Bool) -> Double {
    var random = SplitMix64(seed: 1)
    let queue = TimerQueue()
    var age: UInt64 = 0
    var slots: [Int32] = []
    for index in 0..<pending {
      slots.append(queue.insert(deadline: random.nextDelay(), tolerance: 0, age: age, payload: UInt(index)))
      age += 1
    }
    let start = monotonicNanoseconds()
    for _ in 0..<operations {
      let index = Int(random.next(below: UInt64(pending)))
      let deadline = random.nextDelay()
      if renews {
        queue.remove(slots[index])
        slots[index] = queue.insert(deadline: deadline, tolerance: 0, age: age, payload: UInt(index))
      } else {
        queue.move(slots[index], deadline: deadline, tolerance: 0, age: age)
      }
      age += 1
    }
    let end = monotonicNanoseconds()
    require(queue.count == pending, "\(queue.count) of \(pending) timers are pending")
    var due: [DueTimer] = []
    queue.popDue(now: 7_200_000_000_000, into: &due)
    require(Set(due.map(\.payload)).count == pending, "timers were mixed up")
    return Double(end - start) / Double(operations)
  }

  /// W2 and W2s: the time to schedule one and the time to take one out.
  static func due(count: Int) -> (scheduling: Double, firing: Double) {
    var random = SplitMix64(seed: 1)
    let queue = TimerQueue()
    let start = monotonicNanoseconds()
    for index in 0..<count {
      _ = queue.insert(
        deadline: Int64(random.next(below: 5_000)) * 1_000, tolerance: 0, age: UInt64(index),
        payload: UInt(index))
    }
    let scheduled = monotonicNanoseconds()
    var due: [DueTimer] = []
    queue.popDue(now: 5_000_000, into: &due)
    let end = monotonicNanoseconds()
    require(due.count == count, "\(due.count) of \(count) timers came due")
    for (previous, next) in zip(due, due.dropFirst()) {
      require((previous.deadline, previous.age) < (next.deadline, next.age), "timers came out of order")
    }
    return (Double(scheduled - start) / Double(count), Double(end - scheduled) / Double(count))
  }

  /// W7: bytes for a pending timer.
  static func memory(pending: Int) -> Double {
    var random = SplitMix64(seed: 1)
    let queue = TimerQueue()
    let before = residentBytes()
    for index in 0..<pending {
      _ = queue.insert(
        deadline: random.nextDelay(), tolerance: 0, age: UInt64(index), payload: UInt(index))
    }
    let after = residentBytes()
    require(queue.count == pending, "\(queue.count) of \(pending) timers are pending")
    return (after - before) / Double(pending)
  }
}
