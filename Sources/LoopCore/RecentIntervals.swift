/// The last few measured intervals, and what they say together.
struct RecentIntervals: Sendable, Equatable {
  private static let capacity = 9
  /// Fewer say nothing.
  private static let enough = 3

  private var intervals: [Int64] = []
  private var next = 0

  init() { intervals.reserveCapacity(Self.capacity) }

  /// Adds one, in the place of the oldest if there is no room.
  mutating func add(_ interval: Int64) {
    if intervals.count < Self.capacity {
      intervals.append(interval)
    } else {
      intervals[next] = interval
      next = (next + 1) % Self.capacity
    }
  }

  mutating func removeAll() {
    intervals.removeAll(keepingCapacity: true)
    next = 0
  }

  /// The mean of those near the median, so that neither an outlier nor jitter counts for much; nil if there are
  /// too few.
  var estimate: Int64? {
    guard intervals.count >= Self.enough else { return nil }
    let median = middle
    var sum: Int64 = 0
    var count: Int64 = 0
    for interval in intervals where abs(interval - median) <= median / 4 {
      sum += interval
      count += 1
    }
    return (sum + count / 2) / count
  }

  /// The median, found by counting: nothing is allocated.
  private var middle: Int64 {
    let half = intervals.count / 2
    for candidate in intervals {
      var below = 0
      var equal = 0
      for interval in intervals {
        if interval < candidate { below += 1 }
        if interval == candidate { equal += 1 }
      }
      if below <= half && half < below + equal { return candidate }
    }
    preconditionFailure("\(intervals.count) intervals have no median")
  }
}
