import CLoopShims

/// What wakes a loop, by bit.
package struct WakeFlags: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Something is in the mailbox.
  package static let posted = WakeFlags(rawValue: 1)
  package static let stop = WakeFlags(rawValue: 2)
  package static let wake = WakeFlags(rawValue: 4)
  /// A watched signal has come.
  package static let signal = WakeFlags(rawValue: 8)
  /// A watched child has something to tell.
  package static let child = WakeFlags(rawValue: 16)
}

/// Wakes one loop from anywhere: flags that it looks at, and a descriptor written only if it sleeps.
///
/// Nothing raised is lost: what comes between the loop's last look and its sleep keeps it from sleeping.
// Safe to share: the pointer never changes, it is counted, and what is behind it is atomic.
package final class Waker: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Makes the waker of one loop; ends the process in clear words if the kernel refuses its eventfd.
  package init() {
    var error: Int32 = 0
    guard let waker = wl_waker_create(&error) else {
      preconditionFailure("a loop can't be made without an eventfd: \(describe(errno: error))")
    }
    pointer = waker
  }

  deinit { wl_waker_release(pointer) }

  /// Raises `flags`, and wakes the loop if it sleeps.
  ///
  /// Any thread, and signal handlers: it takes no lock and allocates nothing. In a forked child it does
  /// nothing.
  package func raise(_ flags: WakeFlags) { wl_waker_raise(pointer, flags.rawValue) }

  /// Raises `flags` without waking the loop; true: it sleeps, and the caller has to call `write`.
  ///
  /// Any thread. The first half of `raise`, for who holds a lock.
  package func mark(_ flags: WakeFlags) -> Bool { wl_waker_mark(pointer, flags.rawValue) != 0 }

  /// Wakes the loop, after `mark` has said so.
  ///
  /// Any thread.
  package func write() { wl_waker_write(pointer) }

  /// Takes what was raised since the last call.
  ///
  /// The loop's thread.
  package func take() -> WakeFlags { WakeFlags(rawValue: wl_waker_take(pointer)) }

  /// Looks until an instant of the suspending clock, without a system call, whether something is raised.
  ///
  /// The loop's thread.
  func look(until instant: Int64) -> Bool {
    repeat {
      if wl_waker_look(pointer) != 0 { return true }
    } while SystemClock.now(.suspending) < instant
    return false
  }

  /// Says that the loop is about to sleep; false: something was raised, don't.
  ///
  /// The loop's thread. `LibeventBackend.wait` and `blockUntilWoken` do this themselves.
  package func prepareToSleep() -> Bool { wl_waker_prepare_to_sleep(pointer) != 0 }

  /// Says that the loop is awake, so that raising costs no system call.
  ///
  /// The loop's thread.
  package func didWake() { wl_waker_did_wake(pointer) }

  /// Sleeps in the kernel until something is raised that has not been taken.
  ///
  /// The loop's thread.
  package func blockUntilWoken() { wl_waker_block(pointer) }

  /// Whether the loop sleeps, or is about to; already out of date when it returns, on other threads.
  package var isSleeping: Bool { wl_waker_is_sleeping(pointer) != 0 }
}
