package import LoopCore
internal import Synchronization

/// What virtual clocks read, for other threads, which make timers through the loop's remote.
///
/// Each reading is right by itself; two of them may be of different moments.
package final class PublishedClocks: Sendable {
  private let suspending = Atomic<Int64>(0)
  private let continuous = Atomic<Int64>(0)
  private let wall = Atomic<Int64>(0)

  init(_ clocks: VirtualClocks) { publish(clocks) }

  /// Makes the present readings known.
  func publish(_ clocks: VirtualClocks) {
    suspending.store(clocks.now(.suspending), ordering: .relaxed)
    continuous.store(clocks.now(.continuous), ordering: .relaxed)
    wall.store(clocks.now(.wall), ordering: .relaxed)
  }

  /// Reads one clock in nanoseconds, from any thread.
  package func now(_ clock: ClockDomain) -> Int64 {
    switch clock {
    case .suspending: suspending.load(ordering: .relaxed)
    case .continuous: continuous.load(ordering: .relaxed)
    case .wall: wall.load(ordering: .relaxed)
    }
  }
}
