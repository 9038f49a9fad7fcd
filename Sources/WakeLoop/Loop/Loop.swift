#if !os(Linux)
  #error("WakeLoop runs on Linux only: it is built on epoll, timerfd, eventfd and pidfd.")
#endif

package import LoopCore
import LoopPlatform

/// A run loop: waits for timers, descriptors, signals, children and other threads, and calls the handlers of all.
///
/// There is one loop a thread, made when it is first asked for and gone with its thread. Everything that runs
/// in one pass of a loop sees the same now: `wakeDate`, `wakeInstant` and `iteration`.
///
/// A loop belongs to its thread. Other threads reach it through its `remote`.
public final class Loop {
  let backend: any LoopBackend
  let mailbox: Mailbox
  let threadID: Int32
  /// Whether this is the main thread's own loop, which serves the main dispatch queue.
  let isMain: Bool
  /// Told of everything that the loop does; nil is off.
  @exclusivity(unchecked) package var trace: (any LoopTrace)?

  // Modes.
  @exclusivity(unchecked) var records: [ModeRecord?] = []
  @exclusivity(unchecked) private var indexes: [Mode: Int] = [:]
  let common: ModeRecord
  /// Always there, and found without hashing.
  private var defaultRecord: ModeRecord?

  // Runs and passes.
  @exclusivity(unchecked) var runs: [Run] = []
  /// One for each depth of nesting that has been reached, kept for the next run there.
  private var spareLists: [PassLists] = []
  @exclusivity(unchecked) var passSerial: UInt32 = 0
  @exclusivity(unchecked) var iterations: UInt64 = 0
  @exclusivity(unchecked) var currentStamp: Stamp
  @exclusivity(unchecked) var currentReadings: ClockReadings
  @exclusivity(unchecked) var wallOffset: Int64
  /// How often the wall clock was seen to be set.
  @exclusivity(unchecked) var wallSteps: UInt32 = 0
  /// A stop was asked for outside of any run: it is the next one's.
  @exclusivity(unchecked) var stopsNext = false
  /// A wake was asked for: the next wait is a poll.
  @exclusivity(unchecked) var pollsNext = false

  /// The run whose waits another loop does, if there is one.
  @exclusivity(unchecked) var hosted: HostedRun?

  // Things that wait for a pass. Exempt from exclusivity checks like the lists of a pass, and as safe: the loop's
  // thread alone touches them, and no handler is called during a change.
  @exclusivity(unchecked) private var spareMail = Mailbox.Mail()
  /// Sources that are signalled and not served yet.
  @exclusivity(unchecked) var signalled: [Source] = []
  /// Sources whose descriptor is out of the poll set while their handler is on the stack.
  @exclusivity(unchecked) var muted: [Source] = []
  /// Sources that look for themselves after a signal handler has run.
  @exclusivity(unchecked) var interrupted: [Source] = []
  /// Watches that ended after the last poll, which may still name them.
  @exclusivity(unchecked) var retiredWatches: [Watch] = []
  /// Whether it was said that a descriptor was closed before its source was ended.
  var hasReportedLost = false
  @exclusivity(unchecked) var mainQueueIsReady = false
  /// Jobs of tasks, in the order in which they came; those of a pass are in its lists.
  @exclusivity(unchecked) var jobs: [WaitingJob] = []
  /// Drains of the main queue and of jobs on the stack; within one, nested runs serve neither.
  @exclusivity(unchecked) var serialDepth = 0
  @exclusivity(unchecked) private var madeExecutors: Executors?

  /// The frame links here, whose waits end a little early and in a spin.
  @exclusivity(unchecked) var frameLinks: [FrameLink] = []
  /// What looks for absences; nil as long as nobody observes them.
  @exclusivity(unchecked) var absences: AbsenceWatch?

  /// Items with weak targets, swept a few in each pass.
  @exclusivity(unchecked) var weakItems: [Item] = []
  @exclusivity(unchecked) var sweepCursor = 0
  /// Tokens that keep the loop's runs from being finished in any mode.
  @exclusivity(unchecked) var holds = 0
  @exclusivity(unchecked) private var lastAge: UInt64 = 0
  private let forkGeneration = ForkGeneration.current
  private(set) var isClosed = false
  var values: [ObjectIdentifier: Any] = [:]

  /// Makes a loop of the calling thread on a backend; what makes loops for threads and virtual loops call it.
  init(
    mailbox: Mailbox, makeBackend: (Waker) -> any LoopBackend,
    clock: @escaping @Sendable (ClockDomain) -> Int64
  ) {
    self.mailbox = mailbox
    threadID = ThreadState.threadID
    isMain = mailbox === Mailbox.main
    backend = makeBackend(mailbox.waker)
    common = ModeRecord(mode: .common, index: ModeRecord.commonIndex)
    currentReadings = backend.readClocks()
    currentStamp = Stamp(currentReadings, iteration: 0)
    wallOffset = currentReadings.wall &- currentReadings.suspending
    mailbox.open(thread: threadID, clock: clock)
    records.append(common)
    indexes[.common] = ModeRecord.commonIndex
    for mode in [Mode.default, .tracking] { record(of: mode).isCommon = true }
    defaultRecord = record(of: .default)
  }

  /// Makes a loop on another backend than the system's, such as a virtual one.
  package convenience init(backend: any LoopBackend, clock: @escaping @Sendable (ClockDomain) -> Int64) {
    self.init(mailbox: .make(), makeBackend: { _ in backend }, clock: clock)
  }

  deinit {
    assert(isClosed, "a loop of thread \(threadID) goes away without having been closed")
  }

  // MARK: Threads and processes

  /// Stops with a sentence that names both threads if this is not the loop's.
  @inline(__always)
  func checkThread() {
    let here = ThreadState.threadID
    if here != threadID { failThread(here) }
  }

  @inline(never)
  private func failThread(_ here: Int32) -> Never {
    // The thread of a forked child has another number than the one it is a copy of.
    if isInForkedChild { failFork("a call") }
    preconditionFailure(
      "the loop of thread \(threadID) was used on thread \(here); other threads use its remote")
  }

  /// Stops in a forked child, whose loop shares its kernel objects with the parent's, and on a loop that has
  /// ended.
  func checkUsable(_ use: String) {
    checkThread()
    if isInForkedChild { failFork(use) }
    precondition(
      !isClosed || use.hasPrefix("add") || use.hasPrefix("remove"), "\(use) on a loop that has ended")
  }

  @inline(never)
  private func failFork(_ use: String) -> Never {
    preconditionFailure(
      "\(use) on a loop inherited over fork(): it belongs to the parent process; exec, or make no use of it")
  }

  var isInForkedChild: Bool { ForkGeneration.current != forkGeneration }

  // MARK: Modes

  /// The record of a mode, made if there is none.
  func record(of mode: Mode) -> ModeRecord {
    if mode == .default, let record = defaultRecord { return record }
    if mode == .common { return common }
    precondition(!mode.rawValue.isEmpty, "a mode needs a name that is not empty")
    if let index = indexes[mode], let record = records[index] { return record }
    let free = records.firstIndex { $0 == nil } ?? records.count
    let record = ModeRecord(mode: mode, index: free)
    if free == records.count { records.append(record) } else { records[free] = record }
    indexes[mode] = free
    return record
  }

  /// The record of a mode, if anything has been done with the mode yet.
  func existingRecord(of mode: Mode) -> ModeRecord? { indexes[mode].flatMap { records[$0] } }

  /// Forgets a mode that nothing is in and nobody runs, with what it needs to be waited in.
  func reclaim(_ record: ModeRecord) {
    guard record.isIdle else { return }
    closeMode(record)
    indexes[record.mode] = nil
    records[record.index] = nil
  }

  // MARK: Ages

  /// The next age: the order of asking, by which ties are broken.
  @inline(__always)
  func nextAge() -> UInt64 {
    lastAge &+= 1
    return lastAge
  }

  // MARK: Lists

  func takeLists() -> PassLists { spareLists.popLast() ?? PassLists() }
  func giveBack(_ lists: PassLists) { spareLists.append(lists) }

  // MARK: Mail

  /// Reads what other threads have left.
  ///
  /// After a sleep, or a poll instead of one, a wake has done its work.
  func takeMail(hasSlept: Bool) {
    let flags = mailbox.waker.take()
    if flags.rawValue == 0 { return }
    if flags.contains(.stop) { stopInnermost() }
    if flags.contains(.wake) && !hasSlept { pollsNext = true }
    if flags.contains(.signal) {
      for source in interrupted where !source.isEnded { source.noteInterrupt(in: self) }
    }
    if flags.contains(.posted) { readMail() }
  }

  private func readMail() {
    // Taken out, since what is read may run the loop, which reads its mail in turn.
    var mail = Mailbox.Mail()
    swap(&mail, &spareMail)
    mailbox.take(&mail)
    if jobs.isEmpty { swap(&jobs, &mail.jobs) } else { jobs += mail.jobs }
    // Before the updates, since what these let go may run the loop, which then reads what was posted later.
    queuePosts(of: &mail)
    for update in mail.updates {
      if let modes = update.modes {
        for mode in modes { add(update.item, forMode: mode) }
      } else {
        update.item.update()
      }
    }
    mail.clear()
    spareMail = mail
  }

  // MARK: Executors

  /// The loop's executors, made when they are first asked for; the loop keeps them for its life.
  var executors: Executors {
    if let madeExecutors { return madeExecutors }
    let made = isMain ? Executors.main : Executors(mailbox: mailbox, threadID: threadID)
    madeExecutors = made
    return made
  }

  // MARK: The end

  /// Ends the loop: first nothing is accepted any more, then everything is let go.
  package func close() {
    if !isInForkedChild { checkThread() }
    precondition(runs.isEmpty, "a loop can't end inside one of its own runs")
    if isClosed { return }
    isClosed = true
    hosted = nil
    // A child's lock may have been held by a thread that the child does not have.
    let left = isInForkedChild ? Mailbox.Mail() : mailbox.close()
    var neverRun = left.posts.count
    let jobsLeft = left.jobs.count + jobs.count
    jobs.removeAll()
    for record in records {
      guard let record else { continue }
      neverRun += record.performs.count
      // Emptied first, so that none of them is searched for, and let go of after.
      let items = record.items
      let performs = record.performs
      record.performs = PerformQueue()
      for item in items where item.loop === self { item.endNow() }
      withExtendedLifetime(performs) {}
    }
    for update in left.updates { update.item.endNow() }
    let hung = values
    values = [:]
    withExtendedLifetime(hung) {}
    if !isInForkedChild {
      for record in records { if let record { closeMode(record) } }
    }
    signalled.removeAll()
    interrupted.removeAll()
    weakItems.removeAll()
    backend.close(inForkedChild: isInForkedChild)
    if isInForkedChild { return }
    if neverRun > 0 {
      Loop.report(
        .neverRun,
        "the loop of thread \(threadID) has ended with \(neverRun) performs that were never called")
    }
    if jobsLeft > 0 {
      Loop.report(
        .neverRun,
        "the loop of thread \(threadID) has ended with \(jobsLeft) jobs on its executor: their tasks never end"
      )
    }
  }
}

/// A loop stays on its thread; its `remote` goes anywhere.
@available(*, unavailable)
extension Loop: Sendable {}
