/// The tables of a timer queue, which keep each other up to date.
///
/// Strict timers lie in one heap. Tolerant ones lie in two, by deadline and by latest instant, so only they pay
/// for the second. A strict timer takes 36 bytes, a tolerant one 56, plus the tables' spare room.
struct TimerTables {
  var slots = TimerSlots()
  /// Strict timers by deadline.
  var strict = InstantHeap()
  /// Tolerant timers by deadline.
  var tolerant = InstantHeap()
  /// Tolerant timers by the latest instant at which the loop must be awake for them.
  var latest = InstantHeap()
  /// The position of each tolerant slot's node in `latest`, -1 for the others; as long as the highest slot
  /// that was ever tolerant needs, so empty where no timer ever was.
  var latestPositions: [Int32] = []

  /// How many timers are pending, those that are never due included.
  var count: Int { strict.count + tolerant.count }

  /// The latest instant by which the loop must be awake, `.max` if none: the least of the strict deadlines and of
  /// the tolerant ones' deadlines plus tolerance.
  var earliestWake: Int64 { min(strict.earliest, latest.earliest) }

  /// The least deadline, `.max` if none.
  var earliestDeadline: Int64 { min(strict.earliest, tolerant.earliest) }

  /// Adds a timer and returns its slot, which stays its own until it is removed or taken as due.
  ///
  /// A deadline of `.max` is never due. A tolerance of 0 or less is strict, one of `.max` infinite.
  ///
  /// - Complexity: O(log n); O(1) on average for random deadlines.
  mutating func insert(deadline: Int64, tolerance: Int64, age: UInt64, payload: UInt) -> Int32 {
    let slot = slots.take(age: age, payload: payload)
    enqueue(slot, deadline: deadline, tolerance: tolerance)
    return slot
  }

  /// Removes the timer in `slot`, which must be in use.
  ///
  /// - Complexity: O(log n).
  mutating func remove(_ slot: Int32) {
    dequeue(slot)
    slots.release(slot)
  }

  /// Gives the timer in `slot`, which must be in use, another deadline, tolerance and age.
  ///
  /// - Complexity: O(log n).
  mutating func move(_ slot: Int32, deadline: Int64, tolerance: Int64, age: UInt64) {
    slots.setAge(age, of: slot)
    let position = slots.position(of: slot)
    let latestPosition = latestPosition(of: slot)
    if tolerance <= 0, latestPosition < 0 {
      strict.change(at: position, to: deadline, positions: &slots.positions)
    } else if tolerance > 0, latestPosition >= 0 {
      tolerant.change(at: position, to: deadline, positions: &slots.positions)
      latest.change(
        at: latestPosition, to: Self.latestInstant(deadline, tolerance), positions: &latestPositions)
    } else {
      dequeue(slot)
      enqueue(slot, deadline: deadline, tolerance: tolerance)
    }
  }

  /// The deadline of the timer in `slot`, which must be in use.
  func deadline(of slot: Int32) -> Int64 {
    let position = slots.position(of: slot)
    return (latestPosition(of: slot) < 0 ? strict : tolerant).nodes[position].instant
  }
}

// MARK: - Which heaps a slot is in

extension TimerTables {
  @inline(__always)
  static func latestInstant(_ deadline: Int64, _ tolerance: Int64) -> Int64 {
    let (sum, overflow) = deadline.addingReportingOverflow(tolerance)
    // Infinite counts from any deadline, also from one before the clock's zero.
    return overflow || tolerance == .max ? .max : sum
  }

  /// The position of the slot's node in `latest`, -1 if it is strict.
  @inline(__always)
  func latestPosition(of slot: Int32) -> Int {
    Int(slot) < latestPositions.count ? Int(latestPositions[Int(slot)]) : -1
  }

  private mutating func enqueue(_ slot: Int32, deadline: Int64, tolerance: Int64) {
    guard tolerance > 0 else {
      strict.insert(deadline, slot: slot, positions: &slots.positions)
      return
    }
    while latestPositions.count <= Int(slot) {
      latestPositions.reserveForOneMore()
      latestPositions.append(-1)
    }
    tolerant.insert(deadline, slot: slot, positions: &slots.positions)
    latest.insert(
      Self.latestInstant(deadline, tolerance), slot: slot, positions: &latestPositions)
  }

  private mutating func dequeue(_ slot: Int32) {
    let position = slots.position(of: slot)
    let latestPosition = latestPosition(of: slot)
    guard latestPosition >= 0 else {
      strict.remove(at: position, positions: &slots.positions)
      return
    }
    tolerant.remove(at: position, positions: &slots.positions)
    latest.remove(at: latestPosition, positions: &latestPositions)
    latestPositions[Int(slot)] = -1
  }
}
