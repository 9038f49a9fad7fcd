import LoopPlatform

/// What of a sequence's elements no task has taken yet: each sequence's rule of what is kept, merged and dropped.
protocol ElementBox: Sendable {
  associatedtype Element: Sendable

  /// Takes an element in; `isAwaited` if a task takes it out at once.
  mutating func put(_ element: Element, isAwaited: Bool)

  /// Takes out what comes next, nil if there is nothing.
  mutating func take() -> Element?
}

/// Hands elements from a loop's thread to the one task that waits, by way of a box.
// Sendable is unchecked because everything mutable is guarded by `lock`.
final class HandOver<Box: ElementBox, Failure: Error>: @unchecked Sendable {
  typealias Waiter = CheckedContinuation<Result<Box.Element?, Failure>, Never>

  private enum Phase {
    case open
    /// Nothing comes any more; what is in the box can still be had, and then the failure, once.
    case ending(Failure?)
    case over
  }

  private let lock = Lock()
  /// Protected by `lock`; empty while a task waits.
  private var box: Box
  /// Protected by `lock`.
  private var waiter: Waiter?
  /// Protected by `lock`.
  private var phase = Phase.open

  init(box: Box) { self.box = box }

  /// Gives an element to whoever waits, or keeps it as the box sees fit.
  func give(_ element: Box.Element) {
    lock.lock()
    guard case .open = phase else { return lock.unlock() }
    box.put(element, isAwaited: waiter != nil)
    guard let waiter, let taken = box.take() else { return lock.unlock() }
    self.waiter = nil
    lock.unlock()
    waiter.resume(returning: .success(taken))
  }

  /// Lets nothing more come: whoever asks is given what is left, then the failure if there is one, and then nil.
  func finish(throwing failure: Failure? = nil) {
    lock.lock()
    guard case .open = phase else { return lock.unlock() }
    phase = .ending(failure)
    guard let waiter else { return lock.unlock() }
    self.waiter = nil
    phase = .over
    lock.unlock()
    waiter.resume(returning: failure.map { .failure($0) } ?? .success(nil))
  }

  /// Ends the sequence on the spot, for whoever waits and for whoever asks later.
  func cancel() {
    let last = lock.withLock {
      defer { waiter = nil }
      phase = .over
      return waiter
    }
    last?.resume(returning: .success(nil))
  }

  /// Has a task wait for the next element; returns whether it does, otherwise it has its answer.
  func wait(_ continuation: Waiter) -> Bool {
    let answer: Result<Box.Element?, Failure>? = lock.withLock {
      precondition(
        waiter == nil, "two tasks wait for \(Box.Element.self) on one iterator; make an iterator for each")
      if case .over = phase { return .success(nil) }
      if let element = box.take() { return .success(element) }
      if case .ending(let failure) = phase {
        phase = .over
        return failure.map { .failure($0) } ?? .success(nil)
      }
      waiter = continuation
      return nil
    }
    guard let answer else { return true }
    continuation.resume(returning: answer)
    return false
  }
}

/// What the handlers of an iteration's items hold: when the last of them has let go of it, the sequence ends.
///
/// However an item ends, invalidated, refused or with its loop, it lets go of its handler.
final class Giver<Box: ElementBox, Failure: Error>: Sendable {
  private let handOver: HandOver<Box, Failure>

  init(to handOver: HandOver<Box, Failure>) { self.handOver = handOver }

  deinit { handOver.finish() }

  func give(_ element: Box.Element) { handOver.give(element) }

  func finish(throwing failure: Failure?) { handOver.finish(throwing: failure) }
}
