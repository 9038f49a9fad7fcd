/// The table of a timer queue's slots: where each timer's node lies and what it stands for.
///
/// Positions are a table of their own, four bytes a slot, because sifting writes them and reads nothing else.
struct TimerSlots {
  private struct Content {
    var age: UInt64
    var payload: UInt
  }

  /// The position of each slot's node in its heap by deadline; for a free slot `-2 - next`, where `next` is the
  /// free slot after it or -1.
  var positions: [Int32] = []
  private var contents: [Content] = []
  private var firstFree: Int32 = -1

  /// How many slots there are, free ones included.
  var capacity: Int { positions.count }

  /// Takes a free slot, or a new one, whose position is the heap's to set.
  mutating func take(age: UInt64, payload: UInt) -> Int32 {
    let content = Content(age: age, payload: payload)
    if firstFree >= 0 {
      let slot = firstFree
      firstFree = -2 - positions[Int(slot)]
      contents[Int(slot)] = content
      return slot
    }
    precondition(positions.count < Int(Int32.max) - 2, "more timers than 2^31 in one queue")
    positions.reserveForOneMore()
    contents.reserveForOneMore()
    positions.append(0)
    contents.append(content)
    return Int32(truncatingIfNeeded: positions.count - 1)
  }

  /// Makes `slot` free for reuse.
  mutating func release(_ slot: Int32) {
    positions[Int(slot)] = -2 - firstFree
    firstFree = slot
  }

  /// The position of the node of `slot`, which must be in use.
  @inline(__always)
  func position(of slot: Int32) -> Int {
    let position = positions[Int(slot)]
    precondition(position >= 0, "timer slot \(slot) is not in use")
    return Int(position)
  }

  func isInUse(_ slot: Int32) -> Bool { positions[Int(slot)] >= 0 }

  mutating func setAge(_ age: UInt64, of slot: Int32) { contents[Int(slot)].age = age }

  /// The record of the timer in `slot`, which was due at `deadline`.
  func dueTimer(_ slot: Int32, deadline: Int64) -> DueTimer {
    let content = contents[Int(slot)]
    return DueTimer(deadline: deadline, age: content.age, payload: content.payload)
  }

  /// The free slots, in the order in which they will be reused.
  var freeSlots: [Int32] {
    var free: [Int32] = []
    var slot = firstFree
    while slot >= 0, free.count <= positions.count {
      free.append(slot)
      slot = -2 - positions[Int(slot)]
    }
    return free
  }
}
