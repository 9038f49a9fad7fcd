import WakeLoop

@MainActor
func blink(_ jobs: TickScheduler) {
  #if REFUSED
    // error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
    Task.detached { jobs.cancelAll() }
  #else
    Loop.mainRemote.perform { Loop.main.ticks.cancelAll() }
  #endif
}
