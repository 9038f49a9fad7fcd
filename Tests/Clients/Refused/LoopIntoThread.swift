import Foundation
import WakeLoop

// A thread's block runs elsewhere.
func startThread() {
  let loop = Loop.current
  #if REFUSED
    // error: capture of 'loop' with non-Sendable type 'Loop' in a '@Sendable' closure
    Thread { loop.stop() }.start()
  #else
    let remote = loop.remote
    Thread { remote.stop() }.start()
  #endif
}
