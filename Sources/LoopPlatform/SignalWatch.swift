import CLoopShims
import Glibc

/// The signals that the loop has names for.
package enum SignalNumber {
  package static let hangUp = SIGHUP
  package static let interrupt = SIGINT
  package static let quit = SIGQUIT
  package static let pipe = SIGPIPE
  package static let alarm = SIGALRM
  package static let terminate = SIGTERM
  package static let user1 = SIGUSR1
  package static let user2 = SIGUSR2
  package static let child = SIGCHLD
  package static let `continue` = SIGCONT
  package static let windowSize = SIGWINCH

  /// Names a signal as C does, such as "SIGINT" or "SIGRTMIN+1"; others as "signal 99".
  package static func name(_ signal: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      // The name is static or in the buffer, which lives until the closure returns.
      guard let name = wl_signal_name(signal, buffer.baseAddress) else { return "signal \(signal)" }
      return String(cString: name)
    }
  }
}

/// Counts the arrivals of one signal for one loop.
///
/// Any number of watches may be on the same signal. The first one takes over its disposition, the last one
/// gives it back, unless someone else has set it meanwhile. The signal is never blocked, and interrupted
/// system calls go on.
// Safe to share: the pointer never changes, counting is atomic in C, and the end is guarded by the lock.
package final class SignalWatch: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let lock = Lock()
  private var hasEnded = false

  /// Whether the signal could be watched at all.
  package static func canWatch(_ signal: Int32) -> Bool { wl_signal_can_be_watched(signal) != 0 }

  /// Starts counting `signal`; each arrival raises `.signal` on `waker`.
  ///
  /// EINVAL for what is no signal, for SIGKILL and SIGSTOP, and for the faults SIGSEGV, SIGBUS, SIGFPE and
  /// SIGILL, which would come again for ever.
  package init(signal: Int32, waker: Waker) throws(SystemError) {
    var error: Int32 = 0
    guard let watch = wl_signal_watch_begin(signal, waker.pointer, WakeFlags.signal.rawValue, &error) else {
      throw SystemError(errno: error, call: "sigaction")
    }
    pointer = watch
  }

  deinit { end() }

  /// Tells how often the signal came since the last call.
  package func takeCount() -> UInt32 {
    lock.withLock { hasEnded ? 0 : wl_signal_watch_take(pointer) }
  }

  /// Tells how often the signal came since the last call, and when it first did.
  ///
  /// - Returns: Nil if it did not come. The place is that of the first arrival among those of all watched signals.
  package func takeArrivals() -> (count: UInt32, place: UInt64)? {
    var place: UInt64 = 0
    let count = lock.withLock { hasEnded ? 0 : wl_signal_watch_take_first(pointer, &place) }
    return count == 0 ? nil : (count, place)
  }

  /// Stops counting; when it returns, nothing of the watch raises anything any more.
  ///
  /// Any thread, and as often as one likes.
  /// - Returns: How often the signal came since `takeCount` was last called.
  @discardableResult
  package func end() -> UInt32 {
    lock.withLock {
      guard !hasEnded else { return 0 }
      hasEnded = true
      return wl_signal_watch_end(pointer)
    }
  }
}
