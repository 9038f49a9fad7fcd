/// A heap of instants with four children a node, which tells its owner where each slot's node lies.
///
/// A node holds the instant beside the slot, so that sifting reads the heap alone; the four children that are
/// compared lie side by side. Equal instants are in no particular order: who needs one sorts what was taken.
///
/// Positions live in a table of the owner's, indexed by slot and passed to each call. It has an entry for
/// each slot in the heap: that, and the heap's own count, bound every access through pointers here.
struct InstantHeap {
  struct Node {
    var instant: Int64
    var slot: Int32
  }

  /// The nodes; those of node `i`'s children are `4i + 1` to `4i + 4`.
  private(set) var nodes: [Node] = []

  var count: Int { nodes.count }

  /// The smallest instant, `.max` if there is none.
  var earliest: Int64 { nodes.isEmpty ? .max : nodes[0].instant }

  /// Adds a node for `slot`.
  ///
  /// - Complexity: O(log n); O(1) on average for random instants.
  mutating func insert(_ instant: Int64, slot: Int32, positions: UnsafeMutablePointer<Int32>) {
    nodes.reserveForOneMore()
    let node = Node(instant: instant, slot: slot)
    nodes.append(node)
    Self.siftUp(node, from: nodes.count - 1, nodes: &nodes, positions: positions)
  }

  /// Takes out the node at `position`; what its slot's entry in `positions` says is left to the owner.
  ///
  /// - Complexity: O(log n).
  mutating func remove(at position: Int, positions: UnsafeMutablePointer<Int32>) {
    let last = nodes.removeLast()
    if position < nodes.count {
      Self.place(last, at: position, nodes: &nodes, count: nodes.count, positions: positions)
    }
  }

  /// Gives the node at `position` another instant.
  ///
  /// - Complexity: O(log n).
  mutating func change(at position: Int, to instant: Int64, positions: UnsafeMutablePointer<Int32>) {
    let node = Node(instant: instant, slot: nodes[position].slot)
    Self.place(node, at: position, nodes: &nodes, count: nodes.count, positions: positions)
  }

  /// Whether more than `limit` nodes have an instant that is not after `now`.
  ///
  /// - Complexity: O(min(limit, such nodes)).
  func hasMore(than limit: Int, notAfter now: Int64) -> Bool {
    nodes.withUnsafeBufferPointer { nodes in
      var left = limit
      return Self.exceeds(&left, from: 0, notAfter: now, nodes: nodes)
    }
  }

  /// Keeps the nodes for which `isKept` is true and puts the rest in order anew, in linear time.
  @inline(__always)
  mutating func filter(
    positions: UnsafeMutablePointer<Int32>, keeping isKept: (Node) -> Bool
  ) {
    let kept = nodes.withUnsafeMutableBufferPointer { nodes in
      var kept = 0
      for index in 0..<nodes.count {
        let node = nodes[index]
        if isKept(node) {
          nodes[kept] = node
          kept += 1
        }
      }
      return kept
    }
    nodes.removeLast(nodes.count - kept)
    guard kept > 0 else { return }
    for index in 0..<kept { positions[Int(nodes[index].slot)] = Int32(truncatingIfNeeded: index) }
    guard kept > 1 else { return }
    nodes.withUnsafeMutableBufferPointer { nodes in
      for index in stride(from: (kept - 2) >> 2, through: 0, by: -1) {
        Self.siftDown(
          nodes[index], from: index, nodes: nodes.baseAddress!, count: kept, positions: positions)
      }
    }
  }
}

// MARK: - Sifting

extension InstantHeap {
  /// Writes `node` where it belongs, beginning at `position`, whose old node is overwritten.
  @inline(__always)
  private static func place(
    _ node: Node, at position: Int, nodes: UnsafeMutablePointer<Node>, count: Int,
    positions: UnsafeMutablePointer<Int32>
  ) {
    if position > 0, node.instant < nodes[(position - 1) >> 2].instant {
      siftUp(node, from: position, nodes: nodes, positions: positions)
    } else {
      siftDown(node, from: position, nodes: nodes, count: count, positions: positions)
    }
  }

  @inline(__always)
  private static func siftUp(
    _ node: Node, from position: Int, nodes: UnsafeMutablePointer<Node>,
    positions: UnsafeMutablePointer<Int32>
  ) {
    var hole = position
    while hole > 0 {
      let above = (hole - 1) >> 2
      let parent = nodes[above]
      if parent.instant <= node.instant { break }
      nodes[hole] = parent
      positions[Int(parent.slot)] = Int32(truncatingIfNeeded: hole)
      hole = above
    }
    nodes[hole] = node
    positions[Int(node.slot)] = Int32(truncatingIfNeeded: hole)
  }

  @inline(__always)
  private static func siftDown(
    _ node: Node, from position: Int, nodes: UnsafeMutablePointer<Node>, count: Int,
    positions: UnsafeMutablePointer<Int32>
  ) {
    var hole = position
    while true {
      let first = hole &* 4 &+ 1
      var least = first
      if first &+ 3 < count {
        // Two and two, so that the comparisons don't wait for each other.
        let left = nodes[first &+ 1].instant < nodes[first].instant ? first &+ 1 : first
        let right = nodes[first &+ 3].instant < nodes[first &+ 2].instant ? first &+ 3 : first &+ 2
        least = nodes[right].instant < nodes[left].instant ? right : left
      } else if first < count {
        var next = first &+ 1
        while next < count {
          if nodes[next].instant < nodes[least].instant { least = next }
          next &+= 1
        }
      } else {
        break
      }
      let child = nodes[least]
      if node.instant <= child.instant { break }
      nodes[hole] = child
      positions[Int(child.slot)] = Int32(truncatingIfNeeded: hole)
      hole = least
    }
    nodes[hole] = node
    positions[Int(node.slot)] = Int32(truncatingIfNeeded: hole)
  }

  /// Counts `left` down for each node not after `now` at and below `index`; true as soon as it is used up.
  private static func exceeds(
    _ left: inout Int, from index: Int, notAfter now: Int64, nodes: UnsafeBufferPointer<Node>
  ) -> Bool {
    // Below a node that is later, all are later.
    guard index < nodes.count, nodes[index].instant <= now else { return false }
    if left == 0 { return true }
    left -= 1
    let first = index * 4 + 1
    for child in first..<first + 4 {
      if exceeds(&left, from: child, notAfter: now, nodes: nodes) { return true }
    }
    return false
  }
}
