import LoopPlatform

extension Loop {
  /// The arrivals of signals, one after the other, for a task.
  ///
  /// None is lost: those that no task has taken yet are kept and counted. One element stands for every arrival of
  /// its signal since that was last taken; different signals come in the order in which each first arrived.
  ///
  /// The signals are watched from the beginning of an iteration, even before the loop runs, to its end; then the
  /// process does again on them what it did before. Cancelling the task ends the iteration, and arrivals that were
  /// not taken go with it.
  ///
  /// ```swift
  /// for await arrival in loop.signals(.hangUp, .user1) {
  ///   if arrival.signal == .hangUp { await configuration.readAgain() } else { await log.rotate() }
  /// }
  /// ```
  public struct Signals: AsyncSequence, Sendable {
    /// Arrivals of one signal.
    public struct Arrival: Hashable, Sendable {
      /// The signal.
      public let signal: Signal
      /// How often it came since it was last taken; at least once.
      public internal(set) var count: Int
    }

    /// Arrivals of one of the signals.
    public typealias Element = Arrival
    /// It never throws.
    public typealias Failure = Never

    let mailbox: Mailbox
    let signals: [Signal]
    let mode: Mode
    let origin: (fileID: StaticString, line: UInt)

    init(
      mailbox: Mailbox, signals: [Signal], mode: Mode, origin: (fileID: StaticString, line: UInt)
    ) {
      for signal in signals {
        precondition(
          signal.canBeWatched, "signal \(signal.rawValue) (\(signal)) can't be watched by a sequence")
      }
      self.mailbox = mailbox
      self.signals = signals
      self.mode = mode
      self.origin = origin
    }

    /// Begins an iteration: from now on the signals are watched.
    ///
    /// Any thread.
    public func makeAsyncIterator() -> Iterator {
      let iteration = Iteration<ArrivalQueue, Never>(box: ArrivalQueue())
      let giver = iteration.giver()
      let source = SignalGroup(
        signals: signals, mailbox: mailbox, fileID: origin.fileID, line: origin.line
      ) { giver.give($0) }
      let watches = source.watches.map(\.watch)
      iteration.begin(
        with: [source], on: mailbox, in: mode, ended: { for watch in watches { watch.end() } })
      return Iterator(iteration: iteration)
    }

    /// One iteration over the arrivals.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let iteration: Iteration<ArrivalQueue, Never>

      /// Waits for an arrival, or takes the oldest; nil when the task is cancelled or the loop has ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public nonisolated(nonsending) func next() async -> Arrival? {
        await iteration.next(isolation: #isolation)
      }

      /// Waits for an arrival, or takes the oldest; nil when the task is cancelled or the loop has ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public func next(isolation actor: isolated (any Actor)?) async -> Arrival? {
        await iteration.next(isolation: actor)
      }
    }
  }

  /// The arrivals of signals, for a task; none is lost.
  ///
  /// Loop's thread only; the sequence itself goes anywhere.
  /// - Parameters:
  ///   - signals: The signals to watch.
  ///   - mode: Where they are told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The signals can be watched; see `Signal.canBeWatched`.
  public func signals(
    _ signals: Signal..., in mode: Mode = .common, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Signals {
    checkThread()
    return Signals(mailbox: mailbox, signals: signals, mode: mode, origin: (fileID, line))
  }
}

extension Loop.Remote {
  /// The arrivals of signals, for a task; none is lost.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - signals: The signals to watch.
  ///   - mode: Where they are told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The signals can be watched; see `Signal.canBeWatched`.
  public func signals(
    _ signals: Loop.Signal..., in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Loop.Signals {
    Loop.Signals(mailbox: mailbox, signals: signals, mode: mode, origin: (fileID, line))
  }
}

extension Loop.MainRemote {
  /// The arrivals of signals, by way of the main loop, for a task; none is lost.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - signals: The signals to watch.
  ///   - mode: Where they are told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The signals can be watched; see `Signal.canBeWatched`.
  public func signals(
    _ signals: Loop.Signal..., in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Loop.Signals {
    Loop.Signals(mailbox: remote.mailbox, signals: signals, mode: mode, origin: (fileID, line))
  }
}

/// Keeps an entry for each signal that has come, in the order of first arrival.
private struct ArrivalQueue: ElementBox {
  private var arrivals: [Loop.Signals.Arrival] = []

  mutating func put(_ arrival: Loop.Signals.Arrival, isAwaited: Bool) {
    if let place = arrivals.firstIndex(where: { $0.signal == arrival.signal }) {
      arrivals[place].count += arrival.count
    } else {
      arrivals.append(arrival)
    }
  }

  mutating func take() -> Loop.Signals.Arrival? { arrivals.isEmpty ? nil : arrivals.removeFirst() }
}
