extension TimerTables {
  /// Takes out every timer whose deadline is not after `now` and appends it, by deadline and then by age.
  ///
  /// A deadline of `.max` is never due, whatever `now` is.
  ///
  /// - Complexity: O(k log n) for k due timers, O(n) when they are a great part of all.
  mutating func popDue(now: Int64, into due: inout [DueTimer]) {
    let now = min(now, .max - 1)
    guard earliestDeadline <= now else { return }
    let start = due.count
    if Self.isWorthRebuilding(strict, now) {
      takeDueStrict(now, into: &due)
    } else {
      while strict.earliest <= now { take(strict.nodes[0], into: &due) }
    }
    if Self.isWorthRebuilding(tolerant, now) {
      takeDueTolerant(now, into: &due)
    } else {
      while tolerant.earliest <= now { take(tolerant.nodes[0], into: &due) }
    }
    DueTimerOrder.sort(&due, from: start)
  }

  /// Whether so many are due that going through all costs less than taking one after the other.
  private static func isWorthRebuilding(_ heap: InstantHeap, _ now: Int64) -> Bool {
    heap.count >= 32 && heap.hasMore(than: heap.count / 8, notAfter: now)
  }

  private mutating func take(_ first: InstantHeap.Node, into due: inout [DueTimer]) {
    due.append(slots.dueTimer(first.slot, deadline: first.instant))
    remove(first.slot)
  }

  private mutating func takeDueStrict(_ now: Int64, into due: inout [DueTimer]) {
    take(now, from: strict, into: &due)
    strict.filter(positions: &slots.positions) { $0.instant > now }
  }

  private mutating func takeDueTolerant(_ now: Int64, into due: inout [DueTimer]) {
    take(now, from: tolerant, into: &due)
    for node in tolerant.nodes where node.instant <= now { latestPositions[Int(node.slot)] = -1 }
    tolerant.filter(positions: &slots.positions) { $0.instant > now }
    // A slot just released has a free slot's mark until it is reused, and none is before this ends.
    let slots = slots
    latest.filter(positions: &latestPositions) { slots.isInUse($0.slot) }
  }

  /// Appends what is due and releases its slots; the nodes stay for the caller to filter out.
  private mutating func take(_ now: Int64, from heap: InstantHeap, into due: inout [DueTimer]) {
    for node in heap.nodes where node.instant <= now {
      due.append(slots.dueTimer(node.slot, deadline: node.instant))
      slots.release(node.slot)
    }
  }
}
