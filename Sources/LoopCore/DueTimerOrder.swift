/// Puts due timers into the order in which they are told: by deadline, then by age.
///
/// Few are sorted by comparing. Many are sorted digit by digit, which is linear and, for the narrow range of
/// deadlines that one pass meets, a matter of three sweeps.
enum DueTimerOrder {
  /// From how many timers on sweeping by digits beats comparing.
  private static let sweepThreshold = 256

  /// Sorts the timers from index `start` on.
  ///
  /// - Complexity: O(n) when they are in order already or many, else O(n log n).
  static func sort(_ timers: inout [DueTimer], from start: Int) {
    timers.withUnsafeMutableBufferPointer { all in
      var added = UnsafeMutableBufferPointer(rebasing: all[start...])
      guard !isSorted(added) else { return }
      guard added.count >= sweepThreshold else {
        added.sort { $0.precedes($1) }
        return
      }
      sweep(added) { UInt64(bitPattern: $0.deadline) ^ (1 << 63) }
      sortEqualDeadlines(added)
    }
  }

  private static func isSorted(_ timers: UnsafeMutableBufferPointer<DueTimer>) -> Bool {
    var index = 1
    while index < timers.count {
      if timers[index].precedes(timers[index - 1]) { return false }
      index += 1
    }
    return true
  }

  /// Sorts each run of equal deadlines by age.
  private static func sortEqualDeadlines(_ timers: UnsafeMutableBufferPointer<DueTimer>) {
    var start = 0
    while start < timers.count {
      let deadline = timers[start].deadline
      var end = start + 1
      while end < timers.count, timers[end].deadline == deadline { end += 1 }
      if end - start > 1 {
        var run = UnsafeMutableBufferPointer(rebasing: timers[start..<end])
        if !isSorted(run) {
          if run.count < sweepThreshold {
            run.sort { $0.age < $1.age }
          } else {
            sweep(run) { $0.age }
          }
        }
      }
      start = end
    }
  }

  /// Sorts stably by `key`, one sweep for each byte in which the keys differ in range.
  @inline(__always)
  private static func sweep(
    _ timers: UnsafeMutableBufferPointer<DueTimer>, by key: (DueTimer) -> UInt64
  ) {
    var lowest = UInt64.max
    var highest = UInt64.min
    for timer in timers {
      let value = key(timer)
      lowest = min(lowest, value)
      highest = max(highest, value)
    }
    let significantBits = UInt64.bitWidth - (highest - lowest).leadingZeroBitCount
    // Both areas hold as many timers, which are trivial values, and `starts` counts each of them once, so no
    // index is out of range. (Two nested withUnsafeTemporaryAllocation crashed here in release builds of Swift 6.3.1.)
    let count = timers.count
    let scratch = UnsafeMutableBufferPointer<DueTimer>.allocate(capacity: count)
    defer { scratch.deallocate() }
    _ = scratch.initialize(fromContentsOf: timers)
    var source = timers
    var target = scratch
    var starts = [Int](repeating: 0, count: 256)
    for shift in stride(from: 0, to: significantBits, by: 8) {
      for digit in 0..<256 { starts[digit] = 0 }
      for timer in source { starts[Int(truncatingIfNeeded: (key(timer) - lowest) >> shift) & 255] += 1 }
      var total = 0
      for digit in 0..<256 {
        let digitCount = starts[digit]
        starts[digit] = total
        total += digitCount
      }
      for timer in source {
        let digit = Int(truncatingIfNeeded: (key(timer) - lowest) >> shift) & 255
        target[starts[digit]] = timer
        starts[digit] += 1
      }
      swap(&source, &target)
    }
    if source.baseAddress != timers.baseAddress {
      _ = timers.update(fromContentsOf: source)
    }
  }
}
