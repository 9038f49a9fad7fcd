import LoopCore

/// The timer queue as plainly as it can be said: a list that is searched.
struct NaiveTimerQueue {
  struct Entry {
    var slot: Int32
    var deadline: Int64
    var tolerance: Int64
    var age: UInt64
    var payload: UInt

    var latest: Int64 {
      guard tolerance > 0 else { return deadline }
      guard tolerance < .max else { return .max }
      let (sum, overflow) = deadline.addingReportingOverflow(tolerance)
      return overflow ? .max : sum
    }
  }

  var entries: [Entry] = []

  var earliestWake: Int64 { entries.map(\.latest).min() ?? .max }
  var earliestDeadline: Int64 { entries.map(\.deadline).min() ?? .max }

  mutating func popDue(now: Int64) -> [DueTimer] {
    let due = entries.filter { $0.deadline <= now && $0.deadline != .max }
    entries.removeAll { $0.deadline <= now && $0.deadline != .max }
    return due.sorted { ($0.deadline, $0.age) < ($1.deadline, $1.age) }
      .map { DueTimer(deadline: $0.deadline, age: $0.age, payload: $0.payload) }
  }
}
