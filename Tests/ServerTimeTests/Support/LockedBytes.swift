import LoopPlatform

/// Some bytes that closures for any thread share.
// Sendable is unchecked because the bytes are only touched under the lock.
final class LockedBytes: @unchecked Sendable {
  private let lock = Lock()
  private var bytes: [UInt8] = []

  /// Keeps other bytes and returns those before.
  func swap(_ new: [UInt8]) -> [UInt8] {
    lock.withLock {
      defer { bytes = new }
      return bytes
    }
  }
}
