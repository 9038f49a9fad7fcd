import LoopCore

extension Loop {
  // Sendable is unchecked for the same reasons as that of `Item`.
  /// Calls the library's own code at one instant after another, each set when the one before has come.
  ///
  /// Without a next instant it rests in the loop, which it keeps alive as a timer does.
  final class Appointment: DatedItem, @unchecked Sendable {
    private let kind: String
    private var body: ((_ now: Int64) -> Void)?
    /// Called once when it ends, on its own thread.
    var onEnd: (() -> Void)?

    /// Makes an appointment without an instant.
    ///
    /// - Parameters:
    ///   - kind: what reports and inventories call it.
    ///   - loop: the loop that it will be added to, on whose thread it is made.
    ///   - clock: the clock of its instants.
    ///   - body: called with the clock's now in the pass.
    init(
      _ kind: String, for loop: Loop, clock: ClockDomain, fileID: StaticString, line: UInt,
      body: @escaping (_ now: Int64) -> Void
    ) {
      self.kind = kind
      self.body = body
      super.init(
        deadline: .max, clock: clock, timeBase: loop.mailbox.number, threadID: loop.threadID, fileID: fileID,
        line: line)
    }

    override var kindName: String { kind }

    override func releaseHandlers() {
      body = nil
      let end = onEnd
      onEnd = nil
      end?()
    }

    /// Sets the next instant, in nanoseconds of its clock; `.max` is none.
    func move(to instant: Int64) {
      if deadline == instant { return }
      deadline = instant
      requeue()
    }

    override func serveDue(in loop: Loop, run: Run) {
      collectedIn = 0
      // Put back by a nested run and not served there.
      if membership.slot >= 0 { dequeue() }
      if isTargetGone {
        endNow()
        return
      }
      let now = loop.now(of: clock)
      deadline = .max
      loop.call(self) { if let body { body(now) } }
      if isTargetGone { endNow() } else if !isEnded { enqueue() }
    }

    override func skipDue(in loop: Loop) {
      collectedIn = 0
      enqueue()
    }
  }
}
