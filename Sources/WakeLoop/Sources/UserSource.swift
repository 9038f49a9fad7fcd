import LoopCore
import LoopPlatform

extension Loop {
  /// Has its handler called after it was signalled, by whoever has something for the loop.
  ///
  /// As CoreFoundation's run loop source of version 0, except that signalling wakes the loop. Signalled several
  /// times before it is served, it is served once.
  public final class UserSource: Source, @unchecked Sendable {
    private var onSchedule: ((Loop, Mode) -> Void)?
    private var onCancel: ((Loop, Mode) -> Void)?
    private var handler: (() -> Void)?

    /// Makes a source; it acts once it is added to a loop.
    ///
    /// - Parameters:
    ///   - order: Sources of lower order are called first; ties go to the older.
    ///   - isPending: Asked before each wait, last of all, whether something waits already; true makes the
    ///     wait a poll and serves the source in this pass, signalled or not. For libraries that read ahead.
    ///   - onSchedule: Called when the source is added to a mode.
    ///   - onCancel: Called when the source leaves a mode.
    ///   - perform: Called on the loop's thread after the source was signalled.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    public init(
      order: Int = 0, isPending: (() -> Bool)? = nil, onSchedule: ((Loop, Mode) -> Void)? = nil,
      onCancel: ((Loop, Mode) -> Void)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
      perform: @escaping () -> Void
    ) {
      self.onSchedule = onSchedule
      self.onCancel = onCancel
      handler = perform
      super.init(
        order: order, isPending: isPending, threadID: Loop.threadHere, fileID: fileID, line: line)
    }

    override var kindName: String { "user source" }

    /// Has the handler called in the next pass of a run in one of the source's modes.
    ///
    /// Any thread. It wakes the loop, and allocates nothing on the loop's own thread. A source that is in no loop,
    /// or paused, stays signalled until it can be served.
    public func signal() {
      let before = flags.bitwiseOr(Flags.signalled, ordering: .acquiringAndReleasing).oldValue
      if before & (Flags.signalled | Flags.ended) != 0 { return }
      if ThreadState.threadID == threadID { loop?.noteSignalled(self) } else { postUpdate() }
    }

    override func join(_ record: ModeRecord) {
      super.join(record)
      if isSignalled { loop?.noteSignalled(self) }
      if let loop { onSchedule?(loop, record.mode) }
    }

    override func leave(_ record: ModeRecord) {
      super.leave(record)
      if let loop { onCancel?(loop, record.mode) }
    }

    override func pauseChanged() {
      if isSignalled { loop?.noteSignalled(self) }
    }

    override func serve(in loop: Loop, run: Run) {
      // Cleared before the call, so that a signal sent meanwhile counts for the next.
      flags.bitwiseAnd(~Flags.signalled, ordering: .acquiringAndReleasing)
      handler?()
    }

    override func releaseHandlers() {
      super.releaseHandlers()
      handler = nil
      onSchedule = nil
      onCancel = nil
    }
  }
}
