import LoopPlatform

extension Loop {
  /// How child processes ended, one after the other, for a task.
  ///
  /// There is one element for each child, in the order in which their ends were found; then the sequence ends. None
  /// is lost: those that no task has taken yet are kept. A child is told to every iteration, and reaped after that; see
  /// ``ChildSource``. If the task is cancelled before, the child stays yours to wait for.
  ///
  /// The children are taken hold of when the sequence is made: make it before anybody else could wait for them.
  public struct ChildExits: AsyncSequence, Sendable {
    /// How one child ended.
    public struct ChildExit: Hashable, Sendable {
      /// The child's number.
      public let processID: Int32
      /// How it ended.
      public let exit: ChildSource.Exit
    }

    /// How one child ended.
    public typealias Element = ChildExit
    /// That a child can't be watched.
    public typealias Failure = SystemError

    let mailbox: Mailbox
    let children: [(processID: Int32, found: Result<WatchedChild, SystemError>)]
    let mode: Mode
    let origin: (fileID: StaticString, line: UInt)

    init(
      mailbox: Mailbox, processIDs: [Int32], mode: Mode, origin: (fileID: StaticString, line: UInt)
    ) {
      var children: [(processID: Int32, found: Result<WatchedChild, SystemError>)] = []
      for number in processIDs where !children.contains(where: { $0.processID == number }) {
        children.append((number, ChildSource.find(number)))
      }
      self.mailbox = mailbox
      self.children = children
      self.mode = mode
      self.origin = origin
    }

    /// Begins an iteration: a source for each child is added to the loop.
    ///
    /// Any thread.
    public func makeAsyncIterator() -> Iterator {
      let iteration = Iteration<ExitQueue, SystemError>(box: ExitQueue())
      let giver = iteration.giver()
      // All or none: a child that is told is reaped, and after a failure nobody would hear of it.
      var watched = children
      for case .failure(let refusal) in children.map(\.found) {
        giver.finish(throwing: refusal)
        watched = []
      }
      let sources = watched.map { child in
        ChildSource(
          processID: child.processID, child: child.found, threadID: mailbox.thread, fileID: origin.fileID,
          line: origin.line
        ) { source, exit in giver.give(ChildExit(processID: source.processID, exit: exit)) }
      }
      iteration.begin(with: sources, on: mailbox, in: mode)
      return Iterator(iteration: iteration)
    }

    /// One iteration over the exits.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let iteration: Iteration<ExitQueue, SystemError>

      /// Waits for an exit, or takes the oldest; nil after the last, or when the task is cancelled or the loop has
      /// ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public nonisolated(nonsending) func next() async throws(SystemError) -> ChildExit? {
        try await iteration.next(isolation: #isolation)
      }

      /// Waits for an exit, or takes the oldest; nil after the last, or when the task is cancelled or the loop has
      /// ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public func next(isolation actor: isolated (any Actor)?) async throws(SystemError) -> ChildExit? {
        try await iteration.next(isolation: actor)
      }
    }
  }

  /// How child processes ended, for a task: one element for each.
  ///
  /// Loop's thread only; the sequence itself goes anywhere.
  /// - Parameters:
  ///   - processIDs: The children's numbers, each more than 0; taken hold of at once.
  ///   - mode: Where the exits are told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The numbers are more than 0.
  public func exits(
    ofChildren processIDs: [Int32], in mode: Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> ChildExits {
    remote.exits(ofChildren: processIDs, in: mode, fileID: fileID, line: line)
  }

  /// Waits until a child process has ended.
  ///
  /// Loop's thread only; it goes on where the caller is.
  /// - Parameters:
  ///   - processID: The child's number, more than 0; taken hold of before the task waits.
  ///   - mode: Where the exit is told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: How it ended.
  /// - Throws: A ``SystemError`` if the child can't be watched, `CancellationError` if the task was cancelled or the
  ///   loop has ended before.
  /// - Precondition: The number is more than 0.
  public nonisolated(nonsending) func exit(
    ofChild processID: Int32, in mode: Mode = .common, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> ChildSource.Exit {
    try await remote.exit(ofChild: processID, in: mode, fileID: fileID, line: line)
  }
}

extension Loop.Remote {
  /// How child processes ended, for a task: one element for each.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - processIDs: The children's numbers, each more than 0; taken hold of at once.
  ///   - mode: Where the exits are told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The numbers are more than 0.
  public func exits(
    ofChildren processIDs: [Int32], in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Loop.ChildExits {
    Loop.ChildExits(mailbox: mailbox, processIDs: processIDs, mode: mode, origin: (fileID, line))
  }

  /// Waits until a child process has ended.
  ///
  /// Any thread; it goes on where the caller is.
  /// - Parameters:
  ///   - processID: The child's number, more than 0; taken hold of before the task waits.
  ///   - mode: Where the exit is told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: How it ended.
  /// - Throws: A ``Loop/SystemError`` if the child can't be watched, `CancellationError` if the task was cancelled or
  ///   the loop has ended before.
  /// - Precondition: The number is more than 0.
  public nonisolated(nonsending) func exit(
    ofChild processID: Int32, in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Loop.ChildSource.Exit {
    let iterator = exits(ofChildren: [processID], in: mode, fileID: fileID, line: line).makeAsyncIterator()
    guard let end = try await iterator.next() else { throw CancellationError() }
    return end.exit
  }
}

extension Loop.MainRemote {
  /// How child processes ended, by way of the main loop, for a task: one element for each.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - processIDs: The children's numbers, each more than 0; taken hold of at once.
  ///   - mode: Where the exits are told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The numbers are more than 0.
  public func exits(
    ofChildren processIDs: [Int32], in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Loop.ChildExits {
    remote.exits(ofChildren: processIDs, in: mode, fileID: fileID, line: line)
  }

  /// Waits until a child process has ended, by way of the main loop.
  ///
  /// Any thread; it goes on where the caller is.
  /// - Parameters:
  ///   - processID: The child's number, more than 0; taken hold of before the task waits.
  ///   - mode: Where the exit is told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: How it ended.
  /// - Throws: A ``Loop/SystemError`` if the child can't be watched, `CancellationError` if the task was cancelled or
  ///   the main loop has ended before.
  /// - Precondition: The number is more than 0.
  public nonisolated(nonsending) func exit(
    ofChild processID: Int32, in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Loop.ChildSource.Exit {
    try await remote.exit(ofChild: processID, in: mode, fileID: fileID, line: line)
  }
}

/// Keeps every exit until it is taken.
private struct ExitQueue: ElementBox {
  private var exits: [Loop.ChildExits.ChildExit] = []

  mutating func put(_ exit: Loop.ChildExits.ChildExit, isAwaited: Bool) { exits.append(exit) }

  mutating func take() -> Loop.ChildExits.ChildExit? { exits.isEmpty ? nil : exits.removeFirst() }
}
