import Foundation
import WakeLoop

/// Calls `body` on another thread once the loop sleeps.
func onceWaiting(_ remote: Loop.Remote, _ body: @escaping @Sendable () -> Void) {
  Thread {
    while !remote.isWaiting { usleep(200) }
    body()
  }.start()
}
