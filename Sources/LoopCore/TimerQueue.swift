/// The pending timers of one clock: when the loop has to wake for them, and which are due.
///
/// A timer has a deadline, before which it is never due, and a tolerance, by which the loop may be late for it.
/// A strict timer, one without tolerance, takes 36 bytes, a tolerant one 56, plus the tables' spare room.
///
/// All instants are nanoseconds of the one clock that the owner has chosen; `.max` is never. The queue belongs
/// to one thread. It is a class so that who reaches it in a larger structure copies and counts nothing.
package final class TimerQueue {
  // The checks of exclusive access would take four times what the work does. They could find nothing: every
  // access begins and ends in one of the methods here, on one thread, and none of them calls foreign code.
  @exclusivity(unchecked) private var tables = TimerTables()

  /// Makes an empty queue.
  package init() {}

  /// How many timers are pending, those that are never due included.
  package var count: Int { tables.count }

  /// The latest instant by which the loop must be awake, `.max` if none: the least of the strict deadlines and of
  /// the tolerant ones' deadlines plus tolerance.
  package var earliestWake: Int64 { tables.earliestWake }

  /// The least deadline, `.max` if none.
  package var earliestDeadline: Int64 { tables.earliestDeadline }

  /// A timer with the least deadline, nil if there is none with a deadline other than `.max`.
  package var earliestTimer: DueTimer? { tables.earliestTimer }

  /// Adds a timer and returns its slot, which stays its own until it is removed or taken as due.
  ///
  /// A deadline of `.max` is never due. A tolerance of 0 or less is strict, one of `.max` infinite.
  ///
  /// - Complexity: O(log n); O(1) on average for random deadlines.
  package func insert(deadline: Int64, tolerance: Int64, age: UInt64, payload: UInt) -> Int32 {
    tables.insert(deadline: deadline, tolerance: tolerance, age: age, payload: payload)
  }

  /// Removes the timer in `slot`, which must be in use.
  ///
  /// - Complexity: O(log n).
  package func remove(_ slot: Int32) { tables.remove(slot) }

  /// Gives the timer in `slot`, which must be in use, another deadline, tolerance and age.
  ///
  /// - Complexity: O(log n).
  package func move(_ slot: Int32, deadline: Int64, tolerance: Int64, age: UInt64) {
    tables.move(slot, deadline: deadline, tolerance: tolerance, age: age)
  }

  /// The deadline of the timer in `slot`, which must be in use.
  package func deadline(of slot: Int32) -> Int64 { tables.deadline(of: slot) }

  /// Takes out every timer whose deadline is not after `now` and appends it, by deadline and then by age.
  ///
  /// A deadline of `.max` is never due, whatever `now` is.
  ///
  /// - Complexity: O(k log n) for k due timers, O(n) when they are a great part of all.
  package func popDue(now: Int64, into due: inout [DueTimer]) { tables.popDue(now: now, into: &due) }

  /// Appends every pending timer, in no particular order.
  ///
  /// - Complexity: O(n).
  package func copyAll(into list: inout [DueTimer]) { tables.copyAll(into: &list) }

  #if DEBUG || LOOPCORE_CHECKS
    /// Stops the process unless every table agrees with every other one.
    ///
    /// Tests call it after each change. It is there in debug builds, and in others with `-D LOOPCORE_CHECKS`.
    ///
    /// - Complexity: O(n).
    package func checkInvariants() { tables.checkInvariants() }
  #endif
}
