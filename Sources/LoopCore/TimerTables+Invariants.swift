#if DEBUG || LOOPCORE_CHECKS
  extension TimerTables {
    /// Stops the process unless every table agrees with every other one.
    ///
    /// Tests call it after each change. It is there in debug builds, and in others with `-D LOOPCORE_CHECKS`.
    ///
    /// - Complexity: O(n).
    func checkInvariants() {
      var isUsed = [Bool](repeating: false, count: slots.capacity)
      for heap in [strict, tolerant] {
        Self.checkOrder(heap, positions: slots.positions)
        for node in heap.nodes {
          precondition(!isUsed[Int(node.slot)], "slot \(node.slot) is in two heaps by deadline")
          isUsed[Int(node.slot)] = true
        }
      }
      for node in strict.nodes {
        precondition(latestPosition(of: node.slot) == -1, "strict slot \(node.slot) has a latest instant")
      }
      checkTolerant()
      checkFree(isUsed)
    }

    private func checkTolerant() {
      Self.checkOrder(latest, positions: latestPositions)
      precondition(
        latest.count == tolerant.count, "\(latest.count) latest instants, \(tolerant.count) tolerant timers")
      for node in tolerant.nodes {
        let position = latestPosition(of: node.slot)
        precondition(position >= 0, "tolerant slot \(node.slot) has no latest instant")
        let instant = latest.nodes[position].instant
        precondition(instant > node.instant || instant == .max, "\(instant) is not after \(node.instant)")
      }
      let marked = latestPositions.count { $0 >= 0 }
      precondition(marked == latest.count, "\(marked) marked tolerant, \(latest.count) are")
    }

    private func checkFree(_ isUsed: [Bool]) {
      let free = slots.freeSlots
      precondition(
        free.count + count == slots.capacity,
        "\(free.count) free and \(count) used slots of \(slots.capacity)")
      for slot in free {
        precondition(!isUsed[Int(slot)], "slot \(slot) is free and used")
      }
    }

    private static func checkOrder(_ heap: InstantHeap, positions: [Int32]) {
      for (index, node) in heap.nodes.enumerated() {
        let position = Int(positions[Int(node.slot)])
        precondition(position == index, "slot \(node.slot) lies at \(index), its position says \(position)")
        if index > 0 {
          let parent = heap.nodes[(index - 1) / 4]
          precondition(parent.instant <= node.instant, "\(parent.instant) lies above \(node.instant)")
        }
      }
    }
  }
#endif
