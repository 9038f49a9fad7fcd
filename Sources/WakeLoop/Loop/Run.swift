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
    @exclusivity(unchecked) var isStopped = false
    /// Whether something from outside was handled in this pass.
    @exclusivity(unchecked) var handledSource = false

    /// The continuous clock in this pass, and the number of the stamp under which it was read.
    @exclusivity(unchecked) var continuousNow: Int64 = 0
    @exclusivity(unchecked) var continuousIteration: UInt64 = .max

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
      lists.sources.append(.passRetained(source))
    }
  }

  /// What one pass has collected and not called yet; kept and used again, so that passes allocate nothing.
  ///
  /// The lists are exempt from the runtime's exclusivity checks, which would cost a third of an empty pass. What
  /// makes that safe: they belong to the loop's thread, and no handler is called, nor anything that could call
  /// one, while one of them is being changed.
  final class PassLists {
    /// The number of the pass, never 0; a collected item carries it until it is served or changed.
    @exclusivity(unchecked) var serial: UInt32 = 0
    @exclusivity(unchecked) var servesMainQueue = false
    @exclusivity(unchecked) var jobs: [WaitingJob] = []
    /// Retained while they stand here.
    @exclusivity(unchecked) var timers: [DueTimer] = []
    @exclusivity(unchecked) var timerCursor = 0
    /// Retained while they stand here.
    @exclusivity(unchecked) var sources: [Unmanaged<Source>] = []
    @exclusivity(unchecked) var sourceCursor = 0
    @exclusivity(unchecked) var performs: [PerformRecord] = []
    @exclusivity(unchecked) var performCursor = 0
    /// Whether a nested run has had this pass's remaining performs put back into their queues.
    @exclusivity(unchecked) var performsWerePutBack = false
    /// Retained while they stand here.
    @exclusivity(unchecked) var frames: [DueTimer] = []
    @exclusivity(unchecked) var frameCursor = 0
    @exclusivity(unchecked) var events: [ReadyEvent] = []
    /// The timer or frame link whose handler is on the stack; the dispatch holds it meanwhile.
    @exclusivity(unchecked) var serving: Unmanaged<Item>?

    /// The items whose turn has not ended, which stand in no queue.
    ///
    /// Linear.
    var items: [Item] {
      let waiting = timers[timerCursor...] + frames[frameCursor...]
      var items = waiting.map { Item.unretained($0.payload) }.filter { $0.collectedIn == serial }
      if let serving { items.append(serving.takeUnretainedValue()) }
      return items + performs[performCursor...].compactMap(\.item)
    }
  }
}
