import CLoopShims

/// What each thread knows of its loops, in thread-local memory that costs about 2 ns to reach.
package enum ThreadState {
  /// The loop whose run is innermost on this thread; not retained.
  package static var runningLoop: UnsafeMutableRawPointer? {
    get { state.pointee.running_loop }
    set { state.pointee.running_loop = newValue }
  }

  /// The loop that this thread owns; not retained.
  ///
  /// What is set here is given to the exit hook when the thread ends.
  package static var ownLoop: UnsafeMutableRawPointer? {
    get { state.pointee.own_loop }
    set { wl_thread_set_own_loop(newValue) }
  }

  /// Shares the now of a pass with everything on this thread.
  ///
  /// `wakeDate` is in seconds since 2001-01-01, `wakeInstant` in nanoseconds of the suspending clock.
  package static func setStamp(wakeDate: Double, wakeInstant: Int64, iteration: UInt64) {
    let state = state
    state.pointee.wake_date = wakeDate
    state.pointee.wake_instant = wakeInstant
    state.pointee.iteration = iteration
  }

  /// Says that no run is left on this thread.
  package static func clearStamp() {
    setStamp(wakeDate: .nan, wakeInstant: 0, iteration: 0)
  }

  /// Seconds since 2001-01-01 at the stamp of the pass; NaN outside of a run.
  package static var wakeDate: Double { state.pointee.wake_date }

  /// Nanoseconds of the suspending clock at the stamp of the pass; 0 outside of a run.
  package static var wakeInstant: Int64 { state.pointee.wake_instant }

  /// The number of the pass; 0 outside of a run.
  package static var iteration: UInt64 { state.pointee.iteration }

  /// The kernel's number of this thread.
  package static var threadID: Int32 { wl_thread_id() }

  /// Whether this thread is the one that runs `main`.
  package static var isMainThread: Bool { wl_thread_is_main() != 0 }

  /// Sets what is called, on a thread that ends, with its `ownLoop`; once, before any loop is set.
  ///
  /// Thread-local memory is still usable in it. A loop made meanwhile is given to it in turn, a few rounds at
  /// most. The main thread's is not called when the process exits.
  package static func onThreadExit(_ callback: @escaping @convention(c) (UnsafeMutableRawPointer) -> Void) {
    // The same function: C only can't say that the pointer is never null.
    wl_thread_on_exit(unsafeBitCast(callback, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self))
  }

  // The calling thread's own memory, which lives as long as the thread; never kept across a suspension,
  // since nothing here is async.
  private static var state: UnsafeMutablePointer<wl_thread_state> { wl_thread() }
}
