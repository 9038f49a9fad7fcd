import CLoopShims
// Links the library that the C functions are in.
import Dispatch

/// The main dispatch queue as a run loop sees it.
package enum MainDispatchQueue {
  /// The descriptor that is readable when there are blocks; nil when `dispatchMain()` has taken the queue.
  package static var descriptor: Int32? {
    let descriptor = wl_main_queue_descriptor()
    return descriptor >= 0 ? descriptor : nil
  }

  /// Whether a loop may serve the queue.
  package static var canBeServed: Bool { descriptor != nil }

  static func clear(_ descriptor: Int32) { wl_main_queue_clear(descriptor) }

  /// Runs the blocks that were posted before the call.
  ///
  /// Inside a block of the queue it runs nothing; the queue asks again afterwards, so that nothing is lost.
  static func drain() {
    precondition(
      ThreadState.isMainThread,
      "the main dispatch queue can be drained on the main thread only, not on thread \(ThreadState.threadID)")
    wl_main_queue_drain()
  }
}
