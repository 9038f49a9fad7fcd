import LoopCore

extension Loop {
  /// How a run ended.
  public enum RunResult: Hashable, Sendable {
    /// Nothing was left in the mode that could act.
    case finished
    /// It was stopped.
    case stopped
    /// Its time was up.
    case timedOut
    /// A source was handled and the run was asked to return after one.
    case handledSource
  }

  /// One call of `run…`: what its passes need to know.
  final class Run {
    let record: ModeRecord
    /// The instant of the suspending clock at which the run's time is up, `.max` for never.
    let limit: Int64
    let returnsAfterSource: Bool
    let condition: (() -> Bool)?
    let lists: PassLists
    var isStopped = false
    /// Whether something from outside was handled in this pass.
    var handledSource = false

    init(
      record: ModeRecord, limit: Int64, returnsAfterSource: Bool, condition: (() -> Bool)?,
      lists: PassLists
    ) {
      self.record = record
      self.limit = limit
      self.returnsAfterSource = returnsAfterSource
      self.condition = condition
      self.lists = lists
    }

    /// Whether the run acts on what is in the mode of that index.
    @inline(__always)
    func acts(in mode: Int32) -> Bool {
      mode == Int32(record.index) || (mode == Int32(ModeRecord.commonIndex) && record.isCommon)
    }

    /// Puts a ready source on the list of this pass, once.
    func list(_ source: Source) {
      if source.collectedIn == lists.serial { return }
      source.collectedIn = lists.serial
      lists.sources.append(source)
    }
  }

  /// What one pass has collected and not called yet; kept and used again, so that passes allocate nothing.
  final class PassLists {
    /// The number of the pass, never 0; a collected item carries it until it is served or changed.
    var serial: UInt32 = 0
    var servesMainQueue = false
    /// Retained while they stand here.
    var timers: [DueTimer] = []
    var timerCursor = 0
    var sources: [Source] = []
    var performs: [PerformRecord] = []
    var performCursor = 0
    /// Whether a nested run has had this pass's remaining performs put back into their queues.
    var performsWerePutBack = false
    /// Retained while they stand here.
    var frames: [DueTimer] = []
    var frameCursor = 0
    var events: [ReadyEvent] = []
  }
}
