import LoopPlatform

extension Loop {
  /// The readiness of a descriptor, time after time, for a task.
  ///
  /// An element says that a read or write would not wait. While no task waits for the next one, nobody waits for the
  /// descriptor: what is left unread costs nothing, and is told when it is asked for again. So nothing is buffered
  /// but one element at most, and nothing is lost.
  ///
  /// The end of file, a hang-up and an error of the file are told once, each when nothing is left to read or the
  /// task has read nothing since it was told; the sequence ends with that element. A descriptor that can't be
  /// watched, or is closed while it is, makes it throw. Each iteration has a source of its own, which begins and ends
  /// with it; end it before you close the descriptor. Cancelling the task ends it too.
  ///
  /// ```swift
  /// for try await event in loop.readiness(of: descriptor) {
  ///   let count = read(descriptor, &bytes, bytes.count)
  ///   if count > 0 { await parser.append(bytes[..<count]) }
  ///   if event.contains(.endOfFile) { await parser.close() }
  /// }
  /// ```
  public struct DescriptorReadiness: AsyncSequence, Sendable {
    /// What there is to tell.
    public typealias Element = DescriptorSource.Event
    /// That the descriptor can't be watched, or was closed while it was.
    public typealias Failure = SystemError

    let mailbox: Mailbox
    let descriptor: Int32
    let interest: DescriptorSource.Interest
    let mode: Mode
    let origin: (fileID: StaticString, line: UInt)

    /// Begins an iteration: its source is added to the loop, and rests until a task waits.
    ///
    /// Any thread.
    public func makeAsyncIterator() -> Iterator {
      let iteration = Iteration<NextEvent, SystemError>(box: NextEvent())
      let giver = iteration.giver()
      let source = DescriptorSource(
        descriptor: descriptor, interest: interest, threadID: mailbox.thread, fileID: origin.fileID,
        line: origin.line
      ) { source, event in
        if let failure = source.reason { return giver.finish(throwing: failure) }
        // Before the task hears of it and asks for the next.
        source.isPaused = true
        giver.give(event)
        if !event.isDisjoint(with: [.endOfFile, .hangUp, .error]) { source.invalidate() }
      }
      source.isPaused = true
      iteration.begin(with: [source], on: mailbox, in: mode, demand: { source.isPaused = false })
      return Iterator(iteration: iteration)
    }

    /// One iteration over the readiness.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let iteration: Iteration<NextEvent, SystemError>

      /// Waits until the descriptor is ready; nil when its end was told, the task is cancelled or the loop has ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public nonisolated(nonsending) func next() async throws(SystemError) -> DescriptorSource.Event? {
        try await iteration.next(isolation: #isolation)
      }

      /// Waits until the descriptor is ready; nil when its end was told, the task is cancelled or the loop has ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public func next(
        isolation actor: isolated (any Actor)?
      ) async throws(SystemError) -> DescriptorSource.Event? {
        try await iteration.next(isolation: actor)
      }
    }
  }

  /// The readiness of a descriptor, for a task; between two elements nobody waits for it.
  ///
  /// Loop's thread only; the sequence itself goes anywhere.
  /// - Parameters:
  ///   - descriptor: The number to watch. It stays yours to close, after the iteration.
  ///   - interest: What to be told of.
  ///   - mode: The mode in which to be told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interest is not empty.
  public func readiness(
    of descriptor: Int32, for interest: DescriptorSource.Interest = .read, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> DescriptorReadiness {
    remote.readiness(of: descriptor, for: interest, in: mode, fileID: fileID, line: line)
  }
}

extension Loop.Remote {
  /// The readiness of a descriptor, for a task; between two elements nobody waits for it.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - descriptor: The number to watch. It stays yours to close, after the iteration.
  ///   - interest: What to be told of.
  ///   - mode: The mode in which to be told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interest is not empty.
  public func readiness(
    of descriptor: Int32, for interest: Loop.DescriptorSource.Interest = .read,
    in mode: Loop.Mode = .common, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Loop.DescriptorReadiness {
    precondition(
      !interest.isEmpty, "the interest in descriptor \(descriptor) is empty: there is nothing to wait for")
    return Loop.DescriptorReadiness(
      mailbox: mailbox, descriptor: descriptor, interest: interest, mode: mode, origin: (fileID, line))
  }
}

extension Loop.MainRemote {
  /// The readiness of a descriptor, by way of the main loop, for a task; between two elements nobody waits for it.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - descriptor: The number to watch. It stays yours to close, after the iteration.
  ///   - interest: What to be told of.
  ///   - mode: The mode in which to be told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The interest is not empty.
  public func readiness(
    of descriptor: Int32, for interest: Loop.DescriptorSource.Interest = .read,
    in mode: Loop.Mode = .common, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Loop.DescriptorReadiness {
    remote.readiness(of: descriptor, for: interest, in: mode, fileID: fileID, line: line)
  }
}

/// Keeps what was found for a task that has stopped waiting meanwhile.
private struct NextEvent: ElementBox {
  private var event: Loop.DescriptorSource.Event?

  mutating func put(_ event: Loop.DescriptorSource.Event, isAwaited: Bool) {
    self.event = self.event?.union(event) ?? event
  }

  mutating func take() -> Loop.DescriptorSource.Event? { event.take() }
}
