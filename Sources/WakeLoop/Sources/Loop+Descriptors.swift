import LoopCore
import LoopPlatform

extension Loop {
  /// Adds a descriptor source to a mode, or to the common modes.
  ///
  /// Whether the descriptor can be watched is found out at once, also when no run has been in the mode yet. Adding
  /// it twice to one mode, or adding one that has ended, changes nothing. Loop's thread only, which must be the
  /// source's.
  /// - Throws: What the kernel answers: EBADF for a number that is not open, EPERM for a file or directory, which
  ///   are always ready, or that a limit is reached. The source is then not in the mode and may be added again.
  /// - Precondition: The source is in no other loop.
  public func add(_ source: DescriptorSource, forMode mode: Mode) throws(SystemError) {
    if source.reason != nil || contains(source, inMode: mode) { return }
    if !isClosed && !source.isEnded && !isWatched(source, onceIn: mode) {
      let code = backend.check(source.descriptor)
      if code != 0 { throw .watching(source.descriptor, code: code) }
    }
    add(source as Item, forMode: mode)
    guard let reason = source.reason else { return }
    remove(source, forMode: mode)
    // In other modes it is told as well, since the descriptor was all right there once.
    if source.loop == nil { source.forgetFailure() }
    throw reason
  }

  /// Watches a descriptor.
  ///
  /// The source lives in the loop until it is invalidated; dropping the reference changes nothing. Loop's thread
  /// only.
  /// - Parameters:
  ///   - descriptor: The number to watch. It stays yours to close, after the source has been invalidated.
  ///   - interest: What to be told of.
  ///   - mode: The mode in which to be told.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - handler: Called on the loop's thread with the source and what there is to tell.
  /// - Returns: The source.
  /// - Throws: As `add(_:forMode:)`.
  @discardableResult
  public func watch(
    _ descriptor: Int32, for interest: DescriptorSource.Interest = .read, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line,
    handler: @escaping (_ source: DescriptorSource, _ event: DescriptorSource.Event) -> Void
  ) throws(SystemError) -> DescriptorSource {
    let source = DescriptorSource(
      descriptor: descriptor, interest: interest, fileID: fileID, line: line, handler: handler)
    try add(source, forMode: mode)
    return source
  }

  /// Whether adding the source to the mode puts it into a poll set, and so finds out what the kernel says.
  private func isWatched(_ source: DescriptorSource, onceIn mode: Mode) -> Bool {
    guard !source.effectiveInterest.isEmpty, let record = existingRecord(of: mode) else { return false }
    return !openRecords(looking: record).isEmpty
  }
}
