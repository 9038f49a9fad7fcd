import LoopCore

extension Loop {
  // Sendable is unchecked for the same reasons as that of `Item`.
  /// An item that is due at an instant of one of the clocks: timers and frame links are its kinds.
  ///
  /// It stands in the queue of each of its modes and leaves all of them when a pass has collected it from one,
  /// until it has been served.
  public class DatedItem: Item, @unchecked Sendable {
    final let clock: ClockDomain
    /// The number of the mailbox of the loop by whose clocks the deadline was set.
    @exclusivity(unchecked) final var timeBase: UInt32
    /// When the item is due next, in nanoseconds of its clock; `.max` is never.
    @exclusivity(unchecked) final var deadline: Int64

    init(
      deadline: Int64, clock: ClockDomain, timeBase: UInt32, threadID: Int32, fileID: StaticString, line: UInt
    ) {
      self.deadline = deadline
      self.timeBase = timeBase
      self.clock = clock
      super.init(threadID: threadID, keepsLoopAlive: true, fileID: fileID, line: line)
    }

    // MARK: What each kind answers for itself

    /// The widest window that an item of this kind makes use of, in nanoseconds.
    var longestTolerance: Int64 { .max }

    // MARK: Targets

    /// Ties the item to an object that it does not keep alive and with which it ends.
    final func bind(to target: AnyObject) {
      madeExtras.target = WeakTarget(object: target)
      flags.bitwiseOr(Flags.hasWeakTarget, ordering: .acquiringAndReleasing)
    }

    override var isTargetGone: Bool {
      // The reference is set before the item is shared and never changed, so that any thread may look.
      hasWeakTarget && extras?.target.object == nil
    }

    // MARK: Queues

    /// The deadline by which the queues know it: never, as long as it is paused.
    private final var queuedDeadline: Int64 { isPaused ? .max : deadline }

    private final var effectiveTolerance: Int64 {
      guard let tolerance = extras?.tolerance, tolerance > 0 else { return 0 }
      return min(tolerance, longestTolerance)
    }

    override func join(_ record: ModeRecord) {
      if isOut { return }
      insert(into: record)
    }

    // Collected from the mode that it leaves, it stays so: its pass finds out whether the run is still concerned.
    override func leave(_ record: ModeRecord) { dequeue(from: record) }

    /// Whether it is out of all queues and comes back to all of them by itself: after its handler or its turn.
    private final var isOut: Bool { (local.contains(.isOnStack) || collectedIn != 0) && !isQueued }

    /// Whether it stands in the queue of any of its modes; as a rule in those of all or of none.
    final var isQueued: Bool { membership.slot >= 0 || extras?.further.contains { $0.slot >= 0 } == true }

    private final func insert(into record: ModeRecord) {
      let slot = record.queue(clock).insert(
        deadline: queuedDeadline, tolerance: effectiveTolerance, age: age, payload: payload)
      setSlot(slot, mode: record.index)
      if let loop, loop.hosted != nil { loop.workCame() }
    }

    private final func dequeue(from record: ModeRecord) {
      let slot = slot(in: record)
      if slot < 0 { return }
      record.queue(clock).remove(slot)
      setSlot(-1, mode: record.index)
    }

    /// Takes the item out of the queues of all its modes.
    final func dequeue() {
      forEachRecord { record in dequeue(from: record) }
    }

    /// Puts the item into the queue of each of its modes where it does not stand.
    final func enqueue() {
      forEachRecord { record in
        if slot(in: record) < 0 { insert(into: record) }
      }
    }

    /// Brings the queues in line with a changed deadline or pause; what a pass has collected is given up.
    final func requeue() {
      // Its own handler runs; the queues learn of it when that returns.
      if local.contains(.isOnStack) && !isQueued { return }
      collectedIn = 0
      place()
    }

    /// Puts the item into the queue of each of its modes, or where it belongs in those in which it stands.
    final func place() {
      forEachRecord { record in
        if slot(in: record) < 0 { insert(into: record) } else { move(in: record) }
      }
    }

    /// Brings the queues in line with a changed tolerance, which leaves what is collected to its pass.
    final func toleranceChanged() {
      forEachRecord { record in
        if slot(in: record) >= 0 { move(in: record) }
      }
    }

    private final func move(in record: ModeRecord) {
      record.queue(clock).move(
        slot(in: record), deadline: queuedDeadline, tolerance: effectiveTolerance, age: age)
      if let loop, loop.hosted != nil { loop.workCame() }
    }

    override func pauseChanged() { requeue() }

    override func wasCollected(from record: ModeRecord) {
      setSlot(-1, mode: record.index)
      if let extras, !extras.further.isEmpty { dequeue() }
    }

    override func putBack() { enqueue() }
  }
}
