import LoopPlatform

/// Runs the jobs of actors on a loop's thread, in the loop's passes.
///
/// An actor is pinned to the loop's thread by naming it:
///
/// ```swift
/// actor Device {
///   let executor: LoopExecutor
///   nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///   init(on thread: LoopThread) { executor = thread.executor }
/// }
/// ```
///
/// Jobs run in passes of runs in common modes, in the order in which they came, after the main queue's blocks
/// and under the pass's stamp; those that come while a pass dispatches run in the next one. A nested run inside a
/// job serves no other jobs. Code that runs on the loop's thread otherwise, such as a timer's handler, counts as
/// isolated too, so that `assumeIsolated` works there.
public final class LoopExecutor: SerialExecutor {
  private let mailbox: Mailbox
  private let threadID: Int32

  init(mailbox: Mailbox, threadID: Int32) {
    self.mailbox = mailbox
    self.threadID = threadID
  }

  /// Has the loop run a job in its next pass.
  ///
  /// Any thread. While the loop is awake this makes no system call; on the loop's own thread it takes no lock.
  /// - Precondition: The loop has not ended.
  public func enqueue(_ job: consuming ExecutorJob) {
    mailbox.enqueue(WaitingJob(job: UnownedJob(job), isTaskPreference: false), threadID: threadID)
  }

  /// Stops with a sentence that names both threads if this is not the loop's.
  public func checkIsolated() {
    precondition(
      mailbox.isOfThisThread(threadID),
      "what is isolated to the loop of thread \(threadID) was used on thread \(ThreadState.threadID)")
  }

  /// Tells whether this is the loop's thread.
  public func isIsolatingCurrentContext() -> Bool? { mailbox.isOfThisThread(threadID) }
}

/// Runs tasks that prefer a loop, and the default actors that they call, on its thread.
///
/// ```swift
/// Task(executorPreference: thread.taskExecutor) { await work() }
/// ```
///
/// Jobs run as those of ``LoopExecutor`` do, in one order with them, but in no actor's isolation.
public final class LoopTaskExecutor: TaskExecutor {
  private let mailbox: Mailbox
  private let threadID: Int32

  init(mailbox: Mailbox, threadID: Int32) {
    self.mailbox = mailbox
    self.threadID = threadID
  }

  /// Has the loop run a job in its next pass.
  ///
  /// Any thread. While the loop is awake this makes no system call; on the loop's own thread it takes no lock.
  /// - Precondition: The loop has not ended.
  public func enqueue(_ job: consuming ExecutorJob) {
    mailbox.enqueue(WaitingJob(job: UnownedJob(job), isTaskPreference: true), threadID: threadID)
  }
}

/// The two executors of a loop.
struct Executors: Sendable {
  let serial: LoopExecutor
  let task: LoopTaskExecutor

  init(mailbox: Mailbox, threadID: Int32) {
    serial = LoopExecutor(mailbox: mailbox, threadID: threadID)
    task = LoopTaskExecutor(mailbox: mailbox, threadID: threadID)
  }

  /// The main loop's, which are there before it and stay when it has ended.
  static let main = Executors(mailbox: .main, threadID: ThreadState.mainThreadID)
}

extension Loop {
  /// Runs actors on this loop's thread.
  ///
  /// The same object at each call. The main loop's is the main actor's own once it is installed. Loop's thread
  /// only; the executor itself goes anywhere.
  public var executor: LoopExecutor {
    checkThread()
    return executors.serial
  }

  /// Runs tasks that prefer this loop on its thread.
  ///
  /// The same object at each call. Loop's thread only; the executor itself goes anywhere.
  public var taskExecutor: LoopTaskExecutor {
    checkThread()
    return executors.task
  }
}

extension Mailbox {
  /// Gives a job to the loop, by the short way on its own thread.
  func enqueue(_ job: WaitingJob, threadID: Int32) {
    // No lock: the loop's list is touched by its own thread only, and a loop that is found here is this thread's.
    if let loop = loopOfThisThread, !loop.isClosed {
      loop.enqueue(job)
    } else if !post(job) {
      preconditionFailure(
        "a task wants to go on on the executor of the loop of thread \(threadID), which has ended; let what "
          + "runs there end before its loop does")
    }
  }

  /// Whether the loop is this thread's; a virtual loop is that of the thread that made it.
  func isOfThisThread(_ threadID: Int32) -> Bool {
    if loopOfThisThread != nil { return true }
    // The kernel gives the numbers of ended threads to new ones.
    return ThreadState.threadID == threadID && !hasEnded
  }
}
