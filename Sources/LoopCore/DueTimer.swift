/// A timer that has come due, taken out of its queue.
package struct DueTimer: Sendable, Equatable {
  /// When it was due, in nanoseconds of the queue's clock.
  package var deadline: Int64
  /// What decides between equal deadlines: the smaller age goes first.
  package var age: UInt64
  /// What was given to `insert`.
  package var payload: UInt

  /// Makes a record; tests and the queue do.
  package init(deadline: Int64, age: UInt64, payload: UInt) {
    self.deadline = deadline
    self.age = age
    self.payload = payload
  }

  /// Whether this timer is told before `other`: by deadline, then by age.
  @inline(__always)
  func precedes(_ other: DueTimer) -> Bool {
    deadline != other.deadline ? deadline < other.deadline : age < other.age
  }
}
