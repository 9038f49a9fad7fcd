import WakeLoop
import WakeLoopTesting

/// What a task on a virtual loop has told, and the loop's world, which it may change.
// Sendable is unchecked because everything happens on the virtual loop's thread.
final class VirtualLog<Entry>: @unchecked Sendable {
  let virtual = VirtualLoop()
  private(set) var entries: [Entry] = []
  /// The pass in which the entry was told.
  private(set) var instants: [Loop.Instant] = []

  func add(_ entry: Entry) {
    entries.append(entry)
    instants.append(virtual.now)
  }

  /// Starts a task on the loop, which has to end before this object does.
  func start(_ body: @escaping @Sendable (VirtualLog<Entry>) async throws -> Void) -> Task<Void, any Error> {
    Task(executorPreference: virtual.loop.taskExecutor) { [unowned self] in try await body(self) }
  }
}
