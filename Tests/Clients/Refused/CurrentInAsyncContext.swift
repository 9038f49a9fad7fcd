import WakeLoop

// A task may go on another thread, which has another loop.
func stopCurrent(_ remote: Loop.Remote) async {
  #if REFUSED
    // error: class property 'current' is unavailable from asynchronous contexts; a task may change threads; use a loop's remote, or Loop.main on the main actor
    Loop.current.stop()
  #else
    remote.stop()
  #endif
}
