import LoopCore
import LoopPlatform

extension Loop {
  /// Has its handler called once, after a child process has ended.
  ///
  /// Any number of sources, in any loops, may watch one child: each is told how it ended, and after the last of
  /// them the library reaps it. If all are cancelled before, the child stays yours to wait for. SIGCHLD is never
  /// touched, and other children are left alone, so this goes together with other code that starts processes.
  ///
  /// It comes after the descriptor sources that are ready in the same pass, unless its order says otherwise: what
  /// the child wrote before its end is told before it. The source ends when it has told.
  public final class ChildSource: Source, @unchecked Sendable {
    /// How a child ended.
    public enum Exit: Hashable, Sendable {
      /// It called `exit` with this code, or returned it from `main`.
      case exited(code: Int32)
      /// A signal ended it.
      case signaled(signal: Signal)
      /// Its end was taken by somebody else, who has waited for it or has SIGCHLD ignored; or there is no such
      /// process; or it is no child of this one.
      case reapedElsewhere
    }

    /// The child's number.
    public let processID: Int32
    /// Why the child can't be watched.
    let refusal: SystemError?
    /// Let go with the handler, once the descriptor is out of every poll set.
    private var child: WatchedChild?
    private var handler: ((ChildSource, Exit) -> Void)?
    private var exit: Exit?
    private var isWatching = false

    /// Makes a source for a child that was started already; it acts once it is added to a loop.
    ///
    /// Make it before anybody else could wait for the child: from then on another process that gets the same
    /// number is not taken for it.
    /// - Parameters:
    ///   - processID: The child's number, more than 0.
    ///   - order: Sources of lower order are called first; ties go to the older. The highest unless given.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    ///   - handler: Called on the loop's thread with the source and how the child ended.
    /// - Precondition: The number is more than 0.
    public convenience init(
      processID: Int32, order: Int = .max, fileID: StaticString = #fileID, line: UInt = #line,
      handler: @escaping (_ source: ChildSource, _ exit: Exit) -> Void
    ) {
      self.init(
        processID: processID, child: Self.find(processID), order: order, threadID: Loop.threadHere,
        fileID: fileID, line: line, handler: handler)
    }

    init(
      processID: Int32, child: Result<WatchedChild, SystemError>, order: Int = .max, threadID: Int32,
      fileID: StaticString, line: UInt, handler: @escaping (ChildSource, Exit) -> Void
    ) {
      self.processID = processID
      self.handler = handler
      switch child {
      case .success(let found): (self.child, refusal) = (found, nil)
      case .failure(let refused): (self.child, refusal) = (nil, refused)
      }
      super.init(
        order: order, descriptor: self.child?.descriptor ?? -1, interest: .read, threadID: threadID,
        fileID: fileID, line: line)
    }

    /// Takes hold of the child that has a number now.
    static func find(_ processID: Int32) -> Result<WatchedChild, SystemError> {
      precondition(processID > 0, "a child process has a number above 0, not \(processID)")
      do throws(LoopPlatform.SystemError) {
        return .success(try WatchedChild.find(processID))
      } catch {
        return .failure(.watching(process: processID, code: error.errno))
      }
    }

    override var kindName: String { "child source" }

    override var isSignalled: Bool { exit != nil }

    override func join(_ record: ModeRecord) {
      super.join(record)
      guard let loop, let child else { return }
      if !isWatching {
        isWatching = true
        child.beginWatching()
      }
      if child.descriptor < 0 { exit = .reapedElsewhere }
      if exit != nil { loop.noteSignalled(self) }
    }

    override func leave(_ record: ModeRecord) {
      super.leave(record)
      if isWatching && memberships.count == 1 { stopWatching(wasTold: false) }
    }

    private func stopWatching(wasTold: Bool) {
      isWatching = false
      child?.endWatching(wasTold: wasTold)
    }

    override func note(_ readiness: Readiness, in loop: Loop) -> Bool {
      exit = child?.exit()
      return exit != nil
    }

    override func pauseChanged() {
      super.pauseChanged()
      if exit != nil { loop?.noteSignalled(self) }
    }

    override func descriptorFailed(code: Int32, in loop: Loop) {
      // Only the library has the number, so that somebody closes what is not theirs. What is known is told.
      exit = child?.exit() ?? .reapedElsewhere
      Loop.report(.descriptorLost, "the descriptor of \(self) was closed by somebody else, errno \(code)")
      loop.noteSignalled(self)
    }

    override func serve(in loop: Loop, run: Run) {
      guard let exit else { return }
      handler?(self, exit)
      if isWatching { stopWatching(wasTold: true) }
      endNow()
    }

    override func releaseHandlers() {
      super.releaseHandlers()
      handler = nil
      child = nil
    }
  }

  /// Adds a child source to a mode, or to the common modes.
  ///
  /// Adding it twice to one mode, or adding one that has ended, changes nothing. Loop's thread only, which must be
  /// the source's.
  /// - Throws: Why the child can't be watched: a limit is reached, or the system has no `pidfd_open`. A process
  ///   that does not exist is no reason to throw: it is told as `.reapedElsewhere`.
  /// - Precondition: The source is in no other loop.
  public func add(_ source: ChildSource, forMode mode: Mode) throws(SystemError) {
    checkUsable("add(_:forMode:)")
    if let refusal = source.refusal { throw refusal }
    add(source as Item, forMode: mode)
  }
}
