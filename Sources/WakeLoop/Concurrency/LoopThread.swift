import Dispatch
import LoopPlatform
import Synchronization

/// A thread that does nothing but run its loop.
///
/// It is ready when it is made: `remote`, `executor` and `taskExecutor` can be used at once. It ends by `stop()`
/// alone; dropping the object changes nothing, and `Loop.stop()` on the thread ends one run, after which the next
/// begins. What stands in its queues when it is stopped, jobs and posted blocks, is done before it ends.
///
/// ```swift
/// let thread = try LoopThread(name: "audio", scheduling: .realTimeRoundRobin(priority: 10))
/// thread.remote.schedule(every: .milliseconds(10)) { pass in mix(until: pass.instant) }
/// …
/// thread.stop()
/// thread.join()
/// ```
public final class LoopThread: Sendable {
  /// How the kernel chooses when the thread runs.
  public enum Scheduling: Hashable, Sendable {
    /// As ordinary threads; a lower nice value is a greater share. -20 to 19.
    case normal(nice: Int = 0)
    /// For long computations that nobody waits for; SCHED_BATCH.
    case batch(nice: Int = 0)
    /// Only when nothing else wants to run; SCHED_IDLE.
    case idle
    /// Before all ordinary threads, until it waits; SCHED_FIFO. 1 to 99.
    case realTimeFirstInFirstOut(priority: Int)
    /// Before all ordinary threads, in turn with its equals; SCHED_RR. 1 to 99.
    case realTimeRoundRobin(priority: Int)
  }

  /// Why a thread could not be started.
  public struct StartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number, such as EPERM for a real-time class without the privilege.
    public let code: Int32
    /// What was refused, in words.
    public let description: String

    init(_ error: SystemError) {
      code = error.errno
      description = error.description
    }
  }

  /// The thread's name; the kernel keeps 15 bytes of it.
  public let name: String
  /// The loop's handle for other threads.
  public let remote: Loop.Remote
  /// Runs actors on the thread.
  public let executor: LoopExecutor
  /// Runs tasks that prefer the thread.
  public let taskExecutor: LoopTaskExecutor
  private let thread: SystemThread
  private let state: State

  /// Starts a thread and returns once its loop can be used.
  ///
  /// - Parameters:
  ///   - name: For debuggers and `top`.
  ///   - scheduling: How the kernel chooses when it runs; nil is as its maker.
  ///   - timerSlack: By how much the kernel may be late to wake it from waits by timeout; nil is as its maker,
  ///     which is 50 µs if nobody has set it.
  ///   - stackSize: In bytes; nil is the system's choice.
  /// - Throws: `StartError` if the system refuses the thread or one of its settings; then there is no thread.
  public init(
    name: String, scheduling: Scheduling? = nil, timerSlack: Duration? = nil, stackSize: Int? = nil
  ) throws(StartError) {
    let state = State()
    self.name = name
    self.state = state
    do {
      thread = try SystemThread(stackSize: stackSize ?? 0) {
        ThreadSettings.setName(name)
        LoopThread.main(state, scheduling: scheduling, timerSlack: timerSlack)
      }
    } catch { throw StartError(error) }
    state.ready.wait()
    switch state.start.withLock({ $0 }) {
    case .failed(let error):
      thread.join()
      throw StartError(error)
    case .running(let remote, let executors):
      self.remote = remote
      executor = executors.serial
      taskExecutor = executors.task
    case .starting: preconditionFailure("the thread \(name) said that it was ready and is not")
    }
  }

  /// Has the thread end once its queues are empty.
  ///
  /// Any thread. The pass that runs is finished, the innermost run is stopped and then the thread's own; jobs
  /// and posted blocks are still served. A task put on its executors afterwards is a precondition failure, a
  /// posted block is refused. A second call changes nothing.
  public func stop() {
    if state.isStopping.exchange(true, ordering: .acquiringAndReleasing) { return }
    remote.stop()
  }

  /// Waits until the thread has ended and its loop has let go of everything.
  ///
  /// Any thread but this one; it blocks. It does not stop the thread.
  /// - Precondition: Not called on the thread itself.
  public func join() {
    precondition(
      remote.mailbox.loopOfThisThread == nil, "the thread \(name) can't wait for its own end")
    thread.join()
  }

  // MARK: The thread

  private static func main(_ state: State, scheduling: Scheduling?, timerSlack: Duration?) {
    do throws(SystemError) {
      try scheduling?.apply()
      if let timerSlack {
        try ThreadSettings.setTimerSlack(UInt64(max(1, timerSlack.clampedNanoseconds)))
      }
    } catch {
      state.finishStart(.failed(error))
      return
    }
    let loop = Loop.own
    let hold = loop.holdOpen()
    state.finishStart(.running(loop.remote, loop.executors))
    while !state.isStopping.load(ordering: .acquiring) {
      loop.run(while: { !state.isStopping.load(ordering: .acquiring) })
    }
    loop.drain()
    hold.invalidate()
  }

  private enum Start: Sendable {
    case starting
    case failed(SystemError)
    case running(Loop.Remote, Executors)
  }

  /// What the thread and its maker share.
  private final class State: Sendable {
    let isStopping = Atomic<Bool>(false)
    let ready = DispatchSemaphore(value: 0)
    let start = Guarded<Start>(.starting)

    func finishStart(_ start: Start) {
      self.start.withLock { $0 = start }
      ready.signal()
    }
  }
}

extension LoopThread.Scheduling {
  fileprivate func apply() throws(SystemError) {
    switch self {
    case .normal(let nice):
      try ThreadSettings.setPolicy(.normal)
      try ThreadSettings.setNice(Int32(clamping: nice))
    case .batch(let nice):
      try ThreadSettings.setPolicy(.batch)
      try ThreadSettings.setNice(Int32(clamping: nice))
    case .idle: try ThreadSettings.setPolicy(.idle)
    case .realTimeFirstInFirstOut(let priority):
      try ThreadSettings.setPolicy(.realTimeFirstInFirstOut(priority: Int32(clamping: priority)))
    case .realTimeRoundRobin(let priority):
      try ThreadSettings.setPolicy(.realTimeRoundRobin(priority: Int32(clamping: priority)))
    }
  }
}

extension Loop {
  /// Serves jobs and posts until none is left, and then refuses all that come.
  fileprivate func drain() {
    repeat {
      run(mode: .default, for: .zero)
    } while !jobs.isEmpty || !common.performs.isEmpty
      || !mailbox.closeIfEmpty()
  }
}
