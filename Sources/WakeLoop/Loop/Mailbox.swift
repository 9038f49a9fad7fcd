import LoopCore
import LoopPlatform

/// Where other threads leave what a loop is to do, and how they wake it.
///
/// It outlives its loop as long as somebody holds it: then it refuses.
// Sendable is unchecked because everything mutable is guarded by `lock`; the waker guards itself.
final class Mailbox: @unchecked Sendable {
  /// The modes of one of the blocks, where they are not the common ones.
  struct Addressed {
    let index: Int
    let modes: [Loop.Mode]
  }

  /// What other threads have left since the loop last looked.
  struct Mail {
    /// Blocks in the order of posting, in the form in which the loop keeps them.
    var posts: [PerformRecord] = []
    /// Those of the blocks that are not for the common modes, by rising index.
    var addressed: [Addressed] = []
    /// Items that another thread has changed, or wants added, in the order of asking.
    var updates: [Update] = []
    var jobs: [WaitingJob] = []

    var isEmpty: Bool { posts.isEmpty && updates.isEmpty && jobs.isEmpty }

    /// Empties it; a burst must not hold its memory for ever.
    mutating func clear() {
      posts.removeAll(keepingCapacity: posts.capacity <= 65_536)
      addressed.removeAll()
      updates.removeAll(keepingCapacity: updates.capacity <= 4_096)
      jobs.removeAll(keepingCapacity: jobs.capacity <= 65_536)
    }
  }

  let number: UInt32
  let waker: Waker
  private let lock = Lock()
  /// Protected by `lock`, and so exempt from exclusivity checks.
  @exclusivity(unchecked) private var mail = Mail()
  /// Protected by `lock`.
  private var isClosed = false
  /// Whether a loop has come to read it; protected by `lock`.
  private var isOpen = false
  /// Whether it was said that the main loop is not to be had; protected by `lock`.
  private var hasReported = false
  /// The thread of the loop, 0 before there is one.
  ///
  /// Protected by `lock`.
  private var ownerThread: Int32 = 0
  /// Reads the loop's clocks from any thread.
  ///
  /// Protected by `lock`.
  private var clock: @Sendable (ClockDomain) -> Int64 = { SystemClock.now($0) }

  /// What an item needs the loop to do for it.
  struct Update {
    var item: Loop.Item
    /// The modes to add it to; nil if it is in the loop already and has been changed.
    var modes: [Loop.Mode]?
  }

  private init(number: UInt32) {
    self.number = number
    waker = Waker()
  }

  // MARK: The loop's side

  /// Takes the mailbox into a loop's service.
  func open(thread: Int32, clock: @escaping @Sendable (ClockDomain) -> Int64) {
    lock.withLock {
      ownerThread = thread
      self.clock = clock
      isOpen = true
    }
  }

  /// Hands out everything that has come; what is given in must be empty and serves as the next mail.
  func take(_ taken: inout Mail) {
    assert(taken.isEmpty, "mail is taken before the last has been read")
    lock.lock()
    swap(&mail, &taken)
    lock.unlock()
  }

  /// Refuses everything from now on and hands out what is left.
  func close() -> Mail {
    lock.withLock {
      isClosed = true
      defer { mail = Mail() }
      return mail
    }
  }

  /// Refuses everything from now on, unless jobs or blocks wait; returns whether it does.
  ///
  /// What it refuses with true is nothing: whoever comes later finds a loop that has ended.
  func closeIfEmpty() -> Bool {
    lock.withLock {
      if !mail.jobs.isEmpty || !mail.posts.isEmpty { return false }
      isClosed = true
      return true
    }
  }

  // MARK: The others' side

  var thread: Int32 { lock.withLock { ownerThread } }

  var hasEnded: Bool { lock.withLock { isClosed } }

  func now(_ domain: ClockDomain) -> Int64 { lock.withLock { clock }(domain) }

  /// Leaves a block for the given modes, nil for the common ones.
  ///
  /// False: the loop has ended, and the block is destroyed when this returns.
  func post(_ block: @escaping () -> Void, modes: [Loop.Mode]?) -> Bool {
    guard let isFirst = begin() else { return false }
    if let modes { mail.addressed.append(Addressed(index: mail.posts.count, modes: modes)) }
    mail.posts.append(
      PerformRecord(block: block, age: 0, mode: ModeRecord.commonIndex, isPost: true))
    end(isFirst)
    return true
  }

  /// Leaves a job; false: the loop has ended, and the job is still the caller's.
  func post(_ job: WaitingJob) -> Bool {
    guard let isFirst = begin() else { return false }
    mail.jobs.append(job)
    end(isFirst)
    return true
  }

  /// Asks the loop to add an item.
  ///
  /// False: the loop has ended.
  func postAddition(of item: Loop.Item, modes: [Loop.Mode]) -> Bool {
    post(Update(item: item, modes: modes))
  }

  /// Tells the loop that an item of its has been changed by another thread.
  func postUpdate(of item: Loop.Item) {
    _ = post(Update(item: item, modes: nil))
  }

  private func post(_ update: Update) -> Bool {
    guard let isFirst = begin() else { return false }
    mail.updates.append(update)
    end(isFirst)
    return true
  }

  /// Takes the lock to leave something; nil: nothing is accepted, and the lock is not held.
  @inline(__always)
  private func begin() -> Bool? {
    lock.lock()
    if isClosed || isOrphaned {
      refuse()
      return nil
    }
    return mail.isEmpty
  }

  /// Gives the lock back and tells the loop of its mail.
  ///
  /// Whoever finds mail there leaves the telling to whoever came first, who has done it with the lock held; the
  /// system call that a sleeping loop needs comes after.
  @inline(__always)
  private func end(_ isFirst: Bool) {
    let mustWrite = isFirst && waker.mark(.posted)
    lock.unlock()
    if mustWrite { waker.write() }
  }

  /// Whether it is the main loop's, which has not been made and never will be; with the lock held.
  private var isOrphaned: Bool {
    if isOpen || ownerThread != ThreadState.mainThreadID { return false }
    return !MainDispatchQueue.canBeServed
  }

  /// Gives the lock back; of the main loop's mailbox it says once what becomes of all that comes.
  private func refuse() {
    let isFirst = self === Mailbox.main && !hasReported
    hasReported = true
    lock.unlock()
    guard isFirst else { return }
    Loop.report(
      .refused,
      "work for the main loop is refused: its thread has ended or was given to dispatchMain(), so no loop runs "
        + "there; run Loop.main instead")
  }

  // MARK: All mailboxes

  /// The main loop's, which is there before its loop.
  static let main = Mailbox.make(thread: ThreadState.mainThreadID)

  static func make(thread: Int32 = 0) -> Mailbox {
    registry.withLock {
      let mailbox = Mailbox(number: registry.next)
      mailbox.ownerThread = thread
      registry.next &+= 1
      registry.mailboxes[mailbox.number] = Weak(mailbox: mailbox)
      return mailbox
    }
  }

  /// The mailbox of a number, as long as anybody holds it.
  static func find(_ number: UInt32) -> Mailbox? {
    registry.withLock { registry.mailboxes[number]?.mailbox }
  }

  deinit {
    let number = number
    Mailbox.registry.withLock { _ = Mailbox.registry.mailboxes.removeValue(forKey: number) }
  }

  private struct Weak {
    weak var mailbox: Mailbox?
  }

  // Sendable is unchecked because both members are only touched under the lock.
  private final class Registry: @unchecked Sendable {
    let lock = Lock()
    var next: UInt32 = 1
    var mailboxes: [UInt32: Weak] = [:]

    func withLock<R>(_ body: () -> R) -> R { lock.withLock(body) }
  }

  private static let registry = Registry()
}
