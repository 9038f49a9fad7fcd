/// A value behind a lock.
// Safe to share: the value is only touched under the lock.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Gives `body` the value, which nobody else touches meanwhile.
  package func withLock<Success, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
