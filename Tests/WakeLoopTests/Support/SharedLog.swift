import Foundation

/// A list of what happened, to which any thread may append.
// Sendable is unchecked because every access to the entries holds the lock.
final class SharedLog: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: [String] = []

  func append(_ entry: String) {
    lock.withLock { stored.append(entry) }
  }

  var entries: [String] { lock.withLock { stored } }
}
