extension TimerTables {
  /// Appends every pending timer, in no particular order.
  ///
  /// - Complexity: O(n).
  func copyAll(into list: inout [DueTimer]) {
    for node in strict.nodes { list.append(slots.dueTimer(node.slot, deadline: node.instant)) }
    for node in tolerant.nodes { list.append(slots.dueTimer(node.slot, deadline: node.instant)) }
  }

  /// A timer with the least deadline, nil if there is none with a deadline other than `.max`.
  var earliestTimer: DueTimer? {
    let heap = strict.earliest <= tolerant.earliest ? strict : tolerant
    guard let node = heap.nodes.first, node.instant != .max else { return nil }
    return slots.dueTimer(node.slot, deadline: node.instant)
  }
}
