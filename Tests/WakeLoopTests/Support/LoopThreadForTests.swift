import Foundation
import WakeLoop

/// Runs test code on a thread of its own with a loop of its own, in real time.
enum LoopThreadForTests {
  /// Calls `body` on a new thread with that thread's loop; the thread has ended when this returns.
  static func run<Value: Sendable>(_ body: @escaping @Sendable (Loop) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body(Loop.current)) }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }
}

/// Calls `body` on another thread once the loop sleeps.
func onceWaiting(_ remote: Loop.Remote, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread {
    while !remote.isWaiting { usleep(200) }
    // The loop says that it waits a little before it does; either side of that has to work.
    usleep(2_000)
    body()
  }
  thread.start()
}
