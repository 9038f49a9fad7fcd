import WakeLoop

// A run blocks its thread, which a task must not.
@MainActor
func wait() async {
  #if REFUSED
    // error: instance method 'run' is unavailable from asynchronous contexts; a run blocks its thread
    Loop.main.run()
  #else
    await Task.yield()
  #endif
}
