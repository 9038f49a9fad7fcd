import LoopCore
import LoopPlatform

extension Loop {
  /// Has its handler called when a file descriptor is readable or writable, or its other side has gone.
  ///
  /// Level-triggered: while there is something to read, the handler is called in each pass. The source neither
  /// reads, writes nor closes; make the descriptor non-blocking, and end the source before you close it.
  ///
  /// End of file, hang-up and error are each told once; then the descriptor is out of the set that is waited for.
  /// They are told when nothing is left to read, or when the handler has been called and read nothing.
  public final class DescriptorSource: Source, @unchecked Sendable {
    /// What one wants to be told of.
    public struct Interest: OptionSet, Hashable, Sendable {
      /// The set's bits.
      public let rawValue: UInt8

      /// Makes a set of its bits.
      public init(rawValue: UInt8) { self.rawValue = rawValue }

      /// That a read would not wait.
      public static let read = Interest(rawValue: 1)
      /// That a write would not wait.
      public static let write = Interest(rawValue: 2)
    }

    /// What is told.
    public struct Event: OptionSet, Hashable, Sendable {
      /// The set's bits.
      public let rawValue: UInt8

      /// Makes a set of its bits.
      public init(rawValue: UInt8) { self.rawValue = rawValue }

      /// A read would not wait: there are bytes, the end of file, or an error to be had.
      public static let readable = Event(rawValue: 1)
      /// A write would not wait: there is room, or an error to be had.
      public static let writable = Event(rawValue: 2)
      /// The other side writes no more; told once, to those who want to read.
      public static let endOfFile = Event(rawValue: 4)
      /// The other side has gone altogether; told once.
      public static let hangUp = Event(rawValue: 8)
      /// The file has an error, or the descriptor was closed while it was watched: then `failure` says so.
      public static let error = Event(rawValue: 16)
    }

    /// The number that is watched.
    public let descriptor: Int32
    /// Why the source has ended by itself: its descriptor was closed while it was watched, or could not be.
    ///
    /// Nil for an error of the file, which the next read, write or `getsockopt(SO_ERROR)` tells: asking for it here
    /// would take it away from them. The source's thread only.
    public var failure: SystemError? {
      checkThread()
      return reason
    }

    private(set) var reason: SystemError?

    private var handler: ((DescriptorSource, Event) -> Void)?
    private var wanted: Interest
    /// States that were told.
    private var told: Event = []
    /// States to tell.
    private var news: Event = []
    /// What was reported in the pass `notedIn`.
    private var reported: Readiness = []
    private var notedIn: UInt32 = 0
    // Exempt from exclusivity checks: a value that calls nothing of ours, on the source's thread alone.
    @exclusivity(unchecked) private var calls = DescriptorCalls()
    /// The error was told and is still there.
    private var isBroken = false

    /// Makes a source; it acts once it is added to a loop.
    ///
    /// - Parameters:
    ///   - descriptor: The number to watch. It stays yours to close.
    ///   - interest: What to be told of; with nothing in it the descriptor is not waited for.
    ///   - order: Sources of lower order are called first; ties go to the older.
    ///   - isPending: Asked before each wait, last of all, whether something waits already that the kernel does
    ///     not know of; true makes the wait a poll and tells `.readable` in this pass. For libraries that read
    ///     ahead. Not asked while the source does not want to read.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    ///   - handler: Called on the loop's thread with the source and what there is to tell.
    public convenience init(
      descriptor: Int32, interest: Interest = .read, order: Int = 0, isPending: (() -> Bool)? = nil,
      fileID: StaticString = #fileID, line: UInt = #line,
      handler: @escaping (DescriptorSource, Event) -> Void
    ) {
      self.init(
        descriptor: descriptor, interest: interest, order: order, isPending: isPending,
        threadID: Loop.threadHere, fileID: fileID, line: line, handler: handler)
    }

    init(
      descriptor: Int32, interest: Interest, order: Int = 0, isPending: (() -> Bool)? = nil,
      threadID: Int32, fileID: StaticString, line: UInt,
      handler: @escaping (DescriptorSource, Event) -> Void
    ) {
      self.descriptor = descriptor
      self.handler = handler
      wanted = interest
      super.init(
        order: order, descriptor: max(descriptor, -1), interest: interest.readiness, isPending: isPending,
        threadID: threadID, fileID: fileID, line: line)
    }

    override var kindName: String { "descriptor source" }

    /// What one wants to be told of; with nothing in it the descriptor is not waited for.
    ///
    /// A change counts at once, also for what this pass has found already. What was told once is not told again.
    /// The source's thread only.
    public var interest: Interest {
      get {
        checkThread()
        return wanted
      }
      set {
        checkThread()
        wanted = newValue
        calls.forget()
        settle()
      }
    }

    // MARK: What the kernel reports

    override func note(_ readiness: Readiness, in loop: Loop) -> Bool {
      let isFirst = notedIn != loop.passSerial
      if isFirst {
        notedIn = loop.passSerial
        reported = []
      }
      // The backend tells the end of a socket, but folds all else into readiness: the kernel is asked once there
      // is a reason to.
      let isDue = isFirst && calls.countReadiness(pass: notedIn)
      if isDue || readiness.contains(.closed)
        || calls.hasState && !told.contains(.endOfFile) || told.contains(.error)
      {
        return ask(readiness, in: loop)
      }
      reported.formUnion(readiness)
      return true
    }

    /// Asks the kernel what there is behind a readiness; returns whether there is something to serve.
    private func ask(_ readiness: Readiness, in loop: Loop) -> Bool {
      loop.checkRegistrations(of: descriptor)
      if reason != nil { return false }
      let answer = loop.backend.probe(descriptor)
      var states: Event = []
      if answer & ProbeResult.hangUp != 0 { states.insert(.hangUp) }
      if answer & (ProbeResult.hangUp | ProbeResult.peerClosed) != 0 && wanted.contains(.read) {
        states.insert(.endOfFile)
      }
      if answer & ProbeResult.error != 0 { states.insert(.error) } else { told.remove(.error) }
      // What others have read meanwhile is no longer there, though the descriptor is all right.
      if states.isEmpty && answer & (ProbeResult.read | ProbeResult.write) == 0 { return false }
      if states.contains(.error) && told.contains(.error) {
        isBroken = true
        settle()
        return false
      }
      reported.formUnion(readiness.intersection([.read, .write]))
      if states.contains(.endOfFile) && !told.contains(.endOfFile)
        && calls.makesProgress(unreadBytes: loop.backend.unreadBytes(descriptor))
      {
        reported.insert(.read)
        return true
      }
      news.formUnion(states.subtracting(told))
      return !news.isEmpty || !reported.isEmpty
    }

    /// Brings what is waited for in line with what is wanted and what was told.
    private func settle() {
      var waited = wanted.readiness
      if told.contains(.endOfFile) { waited.remove(.read) }
      if reason != nil || isBroken || told.contains(.hangUp) { waited = [] }
      if waited == watchedInterest { return }
      watchedInterest = waited
      loop?.interestChanged(of: self)
    }

    // MARK: Failure

    override var isSignalled: Bool { reason != nil }

    override func descriptorFailed(code: Int32, in loop: Loop) {
      if reason != nil { return }
      reason = .watching(descriptor, code: code)
      settle()
      loop.noteSignalled(self)
    }

    /// Forgets a failure of which the caller of `add` is told, so that the source may be added again.
    func forgetFailure() {
      reason = nil
      settle()
    }

    override func join(_ record: ModeRecord) {
      super.join(record)
      guard let loop else { return }
      if descriptor < 0 { descriptorFailed(code: ErrorNumber.badDescriptor, in: loop) }
      if reason != nil { loop.noteSignalled(self) }
    }

    override func pauseChanged() {
      calls.forget()
      super.pauseChanged()
      if reason != nil { loop?.noteSignalled(self) }
    }

    // MARK: Serving

    override var asksPending: Bool { reason == nil && wanted.contains(.read) }

    override func serve(in loop: Loop, run: Run) {
      if reason != nil {
        handler?(self, .error)
        endNow()
        return
      }
      calls.begin(at: loop.currentReadings.suspending)
      // What was noted in another pass was another pass's; a source listed without a note was asked.
      let ready = notedIn == collectedIn ? reported.intersection(wanted.readiness) : .read
      reported = []
      var event: Event = wanted.isEmpty ? [] : news
      news = []
      if ready.contains(.read) || event.contains(.endOfFile) { event.insert(.readable) }
      if ready.contains(.write) { event.insert(.writable) }
      if event.isEmpty { return }
      told.formUnion(event.intersection([.endOfFile, .hangUp, .error]))
      // Before the call, so that the handler may close the descriptor.
      settle()
      handler?(self, event)
    }

    override func releaseHandlers() {
      super.releaseHandlers()
      handler = nil
    }
  }
}

extension Loop.DescriptorSource.Interest {
  /// The same in the terms of the backend.
  var readiness: Readiness {
    var readiness: Readiness = []
    if contains(.read) { readiness.insert(.read) }
    if contains(.write) { readiness.insert(.write) }
    return readiness
  }
}
