import CLoopShims

/// A lock for a few instructions at a time; not recursive.
///
/// A pthread mutex, because the thread sanitizer takes other locks for races.
// Safe to share: the pointer never changes, and the mutex behind it is made for many threads.
package final class Lock: @unchecked Sendable {
  private let mutex: OpaquePointer

  package init() {
    mutex = wl_lock_create()
  }

  deinit { wl_lock_free(mutex) }

  /// Takes the lock, waiting for whoever has it.
  package func lock() { wl_lock_acquire(mutex) }

  /// Gives the lock back, on the thread that took it.
  package func unlock() { wl_lock_release(mutex) }

  /// Runs `body` while the lock is held.
  @inlinable
  package func withLock<Success, Failure: Error>(
    _ body: () throws(Failure) -> Success
  ) throws(Failure) -> Success {
    lock()
    defer { unlock() }
    return try body()
  }
}
