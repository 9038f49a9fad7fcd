import CLoopShims
import Glibc

/// A thread of the kernel's, started with a body and joined.
// Safe to share: the handle never changes, and joining is guarded by the lock.
package final class SystemThread: @unchecked Sendable {
  private let handle: pthread_t
  private let lock = Lock()
  private var isJoined = false

  /// Starts a thread.
  ///
  /// Zero for `stackSize` is the system's own choice, in bytes. EAGAIN: no thread is to be had; EINVAL: no such
  /// stack.
  package init(stackSize: Int, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if stackSize > 0 {
      let code = pthread_attr_setstacksize(&attributes, stackSize)
      if code != 0 { throw SystemError(errno: code, call: "pthread_attr_setstacksize") }
    }
    var handle = pthread_t()
    // Taken over by the thread, or given back below.
    let box = Unmanaged.passRetained(Body(body))
    let code = pthread_create(
      &handle, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().call()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw SystemError(errno: code, call: "pthread_create")
    }
    self.handle = handle
  }

  deinit { if !isJoined { pthread_detach(handle) } }

  /// Waits until the thread has ended, its loop with it; any number of threads may.
  package func join() {
    lock.withLock {
      if isJoined { return }
      isJoined = true
      pthread_join(handle, nil)
    }
  }

  private final class Body: Sendable {
    let call: @Sendable () -> Void
    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  }
}

/// What the calling thread asks of the kernel for itself.
package enum ThreadSettings {
  /// How the kernel chooses when the thread runs.
  package enum Policy: Sendable {
    case normal, batch, idle
    case realTimeFirstInFirstOut(priority: Int32)
    case realTimeRoundRobin(priority: Int32)
  }

  /// On how many processors the kernel may run the thread.
  static var processorCount: Int32 { wl_thread_processor_count() }

  /// Names the thread; the kernel keeps 15 bytes.
  package static func setName(_ name: String) { _ = wl_thread_set_name(name) }

  /// Sets the policy.
  ///
  /// EPERM: it needs a privilege; EINVAL: no such priority.
  package static func setPolicy(_ policy: Policy) throws(SystemError) {
    let code =
      switch policy {
      case .normal: wl_thread_set_policy(Int32(wl_policy_normal), 0)
      case .batch: wl_thread_set_policy(Int32(wl_policy_batch), 0)
      case .idle: wl_thread_set_policy(Int32(wl_policy_idle), 0)
      case .realTimeFirstInFirstOut(let priority):
        wl_thread_set_policy(Int32(wl_policy_fifo), priority)
      case .realTimeRoundRobin(let priority):
        wl_thread_set_policy(Int32(wl_policy_round_robin), priority)
      }
    if code != 0 { throw SystemError(errno: code, call: "pthread_setschedparam") }
  }

  /// Sets the nice value, -20 to 19.
  ///
  /// EACCES: less than before needs a privilege.
  package static func setNice(_ nice: Int32) throws(SystemError) {
    let code = wl_thread_set_nice(nice)
    if code != 0 { throw SystemError(errno: code, call: "setpriority") }
  }

  /// Sets by how many nanoseconds the kernel may be late to wake the thread; 0 is its default.
  package static func setTimerSlack(_ nanoseconds: UInt64) throws(SystemError) {
    let code = wl_thread_set_timer_slack(nanoseconds)
    if code != 0 { throw SystemError(errno: code, call: "prctl(PR_SET_TIMERSLACK)") }
  }
}
