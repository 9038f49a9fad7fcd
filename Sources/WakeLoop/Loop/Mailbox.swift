import LoopCore
import LoopPlatform

/// Where other threads leave what a loop is to do, and how they wake it.
///
/// It outlives its loop as long as somebody holds it: then it refuses.
// Sendable is unchecked because everything mutable is guarded by `lock`; the waker guards itself.
final class Mailbox: @unchecked Sendable {
  /// A block from another thread.
  struct Post {
    var block: () -> Void
    /// Nil is the common modes.
    var modes: [Loop.Mode]?
  }

  let number: UInt32
  let waker: Waker
  private let lock = Lock()
  /// Protected by `lock`.
  private var posts: [Post] = []
  /// Items that another thread has changed, or wants added, in the order of asking.
  ///
  /// Protected by `lock`.
  private var updates: [Update] = []
  /// Protected by `lock`.
  private var jobs: [WaitingJob] = []
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

  /// Hands out everything that has come; the arrays given in must be empty and serve as the next ones.
  ///
  /// Jobs are appended to those that the loop has.
  func take(posts list: inout [Post], updates changes: inout [Update], jobs waiting: inout [WaitingJob]) {
    assert(list.isEmpty && changes.isEmpty, "mail is taken before the last has been read")
    lock.lock()
    swap(&posts, &list)
    swap(&updates, &changes)
    if waiting.isEmpty {
      swap(&jobs, &waiting)
    } else if !jobs.isEmpty {
      waiting += jobs
      jobs.removeAll(keepingCapacity: true)
    }
    lock.unlock()
  }

  /// Refuses everything from now on and hands out what is left.
  func close() -> (posts: [Post], updates: [Update], jobs: [WaitingJob]) {
    lock.withLock {
      isClosed = true
      defer {
        posts = []
        updates = []
        jobs = []
      }
      return (posts, updates, jobs)
    }
  }

  /// Refuses everything from now on, unless jobs or blocks wait; returns whether it does.
  ///
  /// What it refuses with true is nothing: whoever comes later finds a loop that has ended.
  func closeIfEmpty() -> Bool {
    lock.withLock {
      if !jobs.isEmpty || !posts.isEmpty { return false }
      isClosed = true
      return true
    }
  }

  // MARK: The others' side

  var thread: Int32 { lock.withLock { ownerThread } }

  var hasEnded: Bool { lock.withLock { isClosed } }

  func now(_ domain: ClockDomain) -> Int64 { lock.withLock { clock }(domain) }

  /// Leaves a block.
  ///
  /// False: the loop has ended, and the block is destroyed when this returns.
  func post(_ post: Post) -> Bool {
    lock.lock()
    if isClosed || isOrphaned {
      refuse()
      return false
    }
    posts.append(post)
    lock.unlock()
    waker.raise(.posted)
    return true
  }

  /// Leaves a job; false: the loop has ended, and the job is still the caller's.
  func post(_ job: WaitingJob) -> Bool {
    lock.lock()
    if isClosed || isOrphaned {
      refuse()
      return false
    }
    jobs.append(job)
    lock.unlock()
    waker.raise(.posted)
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
    lock.lock()
    if isClosed || isOrphaned {
      refuse()
      return false
    }
    updates.append(update)
    lock.unlock()
    waker.raise(.posted)
    return true
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
