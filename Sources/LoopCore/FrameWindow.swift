/// What the frames of the last while say together; adding one allocates nothing.
package struct FrameWindow: Sendable {
  /// One frame, in nanoseconds.
  private struct Entry {
    var timestamp: Int64 = 0
    /// Since the frame before; 0 for one that starts anew.
    var interval: Int64 = 0
    var lateness: Int64 = 0
    /// By how much the frame came after it had been expected.
    var hitch: Int64 = 0
  }

  /// Nanoseconds back from the latest frame.
  package let length: Int64
  private var entries: [Entry]
  private var first = 0
  /// How many frames are in the window.
  package private(set) var count = 0
  private var lastTimestamp: Int64?

  /// Makes an empty window that looks back so many nanoseconds and over at most so many frames.
  package init(length: Int64, capacity: Int) {
    precondition(length > 0, "a window of \(length) ns holds no frame")
    precondition(capacity > 1, "a window of \(capacity) frames holds no interval")
    self.length = length
    entries = Array(repeating: Entry(), count: capacity)
  }

  /// Adds a frame, whose timestamp must be after that of the frame before.
  ///
  /// - Parameters:
  ///   - timestamp: which refresh it belongs to.
  ///   - lateness: how long after the timestamp it was called.
  ///   - hitch: how long after it had been expected the refresh was.
  ///   - startsAnew: whether there was a rest before, which is no interval.
  package mutating func add(timestamp: Int64, lateness: Int64, hitch: Int64, startsAnew: Bool) {
    var interval: Int64 = 0
    if let lastTimestamp, !startsAnew { interval = max(0, timestamp &- lastTimestamp) }
    lastTimestamp = timestamp
    if count == entries.count { dropFirst() }
    entries[(first + count) % entries.count] = Entry(
      timestamp: timestamp, interval: interval, lateness: lateness, hitch: hitch)
    count += 1
    while count > 0, timestamp &- entries[first].timestamp > length { dropFirst() }
  }

  private mutating func dropFirst() {
    first = (first + 1) % entries.count
    count -= 1
  }

  /// Forgets all frames.
  package mutating func removeAll() {
    first = 0
    count = 0
    lastTimestamp = nil
  }

  // MARK: What they say

  private func entry(_ index: Int) -> Entry { entries[(first + index) % entries.count] }

  /// The sum of the intervals that lie in the window, and how many they are.
  private var intervals: (sum: Int64, count: Int) {
    var sum: Int64 = 0
    var number = 0
    // The first one's interval reaches back out of the window.
    for index in stride(from: 1, to: count, by: 1) where entry(index).interval > 0 {
      sum += entry(index).interval
      number += 1
    }
    return (sum, number)
  }

  /// Frames a second by their timestamps, rests left out; 0 if there are not two.
  ///
  /// - Complexity: O(n) in the number of frames, as all that follows.
  package var framesPerSecond: Double {
    let (sum, number) = intervals
    return sum > 0 ? Double(number) * 1e9 / Double(sum) : 0
  }

  /// How many frames came later than expected.
  package var hitches: Int {
    (0..<count).reduce(0) { $0 + (entry($1).hitch > 0 ? 1 : 0) }
  }

  /// Milliseconds of hitches in a second of frames; 0 if there are not two frames.
  package var hitchRatio: Double {
    var hitch: Int64 = 0
    for index in stride(from: 1, to: count, by: 1) { hitch += entry(index).hitch }
    let (sum, _) = intervals
    return sum > 0 ? Double(hitch) * 1e3 / Double(sum) : 0
  }

  /// The intervals at some quantiles from 0 to 1, each the least that so many are not above; 0 if there are none.
  package func intervals(atQuantiles quantiles: [Double]) -> [Int64] {
    let sorted = (1..<max(1, count)).map { entry($0).interval }.filter { $0 > 0 }.sorted()
    return quantiles.map { Self.quantile($0, of: sorted) }
  }

  /// The lateness at some quantiles from 0 to 1, each the least that so many are not above; 0 if there are none.
  package func lateness(atQuantiles quantiles: [Double]) -> [Int64] {
    let sorted = (0..<count).map { entry($0).lateness }.sorted()
    return quantiles.map { Self.quantile($0, of: sorted) }
  }

  /// The least value of a sorted list that at least this share of it is not above; 0 for an empty list.
  package static func quantile(_ share: Double, of sorted: [Int64]) -> Int64 {
    if sorted.isEmpty { return 0 }
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[min(max(rank, 1), sorted.count) - 1]
  }
}
