import LoopPlatform

/// One iteration over a sequence of a loop's events: the items behind it end with it, or with its task.
// Sendable is unchecked because all but the hand-over is written once, before the iteration is handed out.
final class Iteration<Box: ElementBox, Failure: Error>: @unchecked Sendable {
  private let handOver: HandOver<Box, Failure>
  private var items: [Loop.Item] = []
  private var demand: (@Sendable () -> Void)?
  private var ended: (@Sendable () -> Void)?

  init(box: Box) { handOver = HandOver(box: box) }

  /// Ends the items when the last copy of the iterator goes.
  deinit { end() }

  /// What the handlers of the items are to hold, and only they.
  func giver() -> Giver<Box, Failure> { Giver(to: handOver) }

  /// Adds the items to the loop; off its thread they are on their way.
  ///
  /// Called once.
  /// - Parameters:
  ///   - items: Made for the loop's thread.
  ///   - mailbox: The loop's.
  ///   - mode: Where they act.
  ///   - demand: Called when a task begins to wait, on its thread.
  ///   - ended: Called when the iteration or its task ends, perhaps twice, for what can't wait for the loop.
  func begin(
    with items: [Loop.Item], on mailbox: Mailbox, in mode: Loop.Mode, demand: (@Sendable () -> Void)? = nil,
    ended: (@Sendable () -> Void)? = nil
  ) {
    self.items = items
    self.demand = demand
    self.ended = ended
    for item in items {
      if let loop = mailbox.loopOfThisThread {
        loop.add(item, forMode: mode)
      } else if !mailbox.postAddition(of: item, modes: [mode]) {
        item.refuse()
      }
    }
  }

  /// Waits for the next element, and goes on where the caller is.
  func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Box.Element? {
    let (handOver, demand) = (handOver, demand)
    let answer = await withTaskCancellationHandler(
      operation: {
        await withCheckedContinuation(isolation: actor) { continuation in
          if handOver.wait(continuation) { demand?() }
        }
      },
      onCancel: {
        handOver.cancel()
        end()
      }, isolation: actor)
    return try answer.get()
  }

  private func end() {
    for item in items { item.invalidate() }
    ended?()
  }
}
