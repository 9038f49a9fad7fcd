import WakeLoop

func makeStop(of loop: Loop) -> @Sendable () -> Void {
  #if REFUSED
    // error: capture of 'loop' with non-Sendable type 'Loop' in a '@Sendable' closure
    return { loop.stop() }
  #else
    let remote = loop.remote
    return { remote.stop() }
  #endif
}
