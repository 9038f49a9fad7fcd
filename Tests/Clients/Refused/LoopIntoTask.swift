import WakeLoop

// A loop stays on its thread; what goes elsewhere is its remote.
func stopLater(_ loop: Loop) {
  #if REFUSED
    // error: passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure
    Task.detached { loop.stop() }
  #else
    let remote = loop.remote
    Task.detached { remote.stop() }
  #endif
}
