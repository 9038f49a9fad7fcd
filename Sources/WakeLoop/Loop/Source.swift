import LoopCore

extension Loop {
  /// What brings work from outside: the descriptor, signal, child and user sources are its kinds.
  ///
  /// A source that is handled ends a run that was asked to return after one. Among those that are ready in
  /// one pass the lower `order` is called first; ties go to the one added earlier.
  public class Source: Item, @unchecked Sendable {
    /// Sources of lower order are called first; ties go to the older.
    ///
    /// The item's thread only.
    public final let order: Int
    /// Asked before each wait, after the observers, whether something waits that the kernel doesn't know of.
    final var isPendingQuestion: (() -> Bool)?
    /// The descriptor to wait for, -1 for none.
    final let watchedDescriptor: Int32
    /// What the descriptor is to be watched for now.
    final var watchedInterest: Readiness
    /// Out of the poll set while its handler is on the stack and a nested run found it ready.
    final var isMuted = false

    init(
      order: Int, descriptor: Int32 = -1, interest: Readiness = [], isPending: (() -> Bool)? = nil,
      threadID: Int32, fileID: StaticString, line: UInt
    ) {
      self.order = order
      isPendingQuestion = isPending
      watchedDescriptor = descriptor
      watchedInterest = interest
      super.init(threadID: threadID, keepsLoopAlive: true, fileID: fileID, line: line)
    }

    // MARK: What each kind answers for itself

    /// Takes note of what the backend reports; returns whether there is something to serve.
    func note(_ readiness: Readiness, in loop: Loop) -> Bool { true }

    /// Takes note of what a signal handler has left; called when one has run.
    func noteInterrupt(in loop: Loop) {}

    /// Whether something waits to be served that the backend does not report.
    var isSignalled: Bool { flags.load(ordering: .acquiring) & Flags.signalled != 0 }

    /// Whether the question for what is pending is to be asked now.
    var asksPending: Bool { true }

    /// Calls the handler; the pass has checked that it may.
    func serve(in loop: Loop, run: Run) {}

    /// Takes note that the kernel no longer has the descriptor under this number, or refuses it.
    func descriptorFailed(code: Int32, in loop: Loop) {}

    // MARK: Membership

    /// What the watch has to wait for on behalf of this source.
    final var effectiveInterest: Readiness {
      isMuted || isEnded || isPaused ? [] : watchedInterest
    }

    override func join(_ record: ModeRecord) {
      setSlot(Int32(record.sources.count), mode: record.index)
      record.sources.append(self)
      if isPendingQuestion != nil { record.askedSources.append(self) }
      if watchedDescriptor >= 0 { loop?.addWatch(of: self, in: record) }
    }

    override func leave(_ record: ModeRecord) {
      record.removeSource(self)
      if isPendingQuestion != nil { record.askedSources.removeAll { $0 === self } }
      if watchedDescriptor >= 0 { loop?.removeWatch(of: self, from: record) }
    }

    override func pauseChanged() { loop?.interestChanged(of: self) }

    override func releaseHandlers() { isPendingQuestion = nil }
  }
}
