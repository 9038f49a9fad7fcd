import CLoopShims
package import LoopCore

/// Being waited for by another loop, which polls a descriptor.
///
/// The descriptor is an epoll set of its own that holds the set of one mode's base: a base may put another file
/// behind its set's number, and a host that uses epoll would lose sight of it.
extension LibeventBackend {
  struct Mirror {
    let descriptor: Int32
    let mode: Int
    /// The generation of the base's set that the mirror holds; nil if it holds none.
    var shown: UInt32?
  }

  package func openHostDescriptor(mode: Int) -> Int32 {
    assert(mirror == nil, "a loop has one host at a time")
    let descriptor = wl_mirror_create()
    guard descriptor >= 0 else { return descriptor }
    mirror = Mirror(descriptor: descriptor, mode: mode)
    let error = show(mode)
    if error != 0 { closeHostDescriptor() }
    return error == 0 ? descriptor : -error
  }

  package func closeHostDescriptor() {
    guard let descriptor = mirror?.descriptor else { return }
    mirror = nil
    wl_descriptor_close(descriptor)
  }

  package func hostWillWait(mode: Int, until deadlines: WaitDeadlines) -> WaitOutcome? {
    let base = opened(mode).base
    let wereSet = settings.watch(deadlines.endsWhenClocksAreSet) {
      watchInternally($0, bit: Internal.clockSettings)
    }
    if wereSet { return .clocksSet }
    let error = show(mode)
    precondition(
      error == 0, "the host of the loop can't be shown its descriptors any more: \(describe(errno: error))")
    // Timers before the waker, as in a wait.
    guard
      wl_base_must_run(base) == 0,
      timers.arm(deadlines, watch: { watchTimer($0, $1) }) == .set,
      waker.prepareToSleep()
    else { return .nothing }
    return nil
  }

  package func hostDidWake() { waker.didWake() }

  package func alertHost() { waker.write() }

  /// Puts the base's set into the mirror unless it is there; the errno value of a refusal.
  private func show(_ mode: Int) -> Int32 {
    guard let mirror else { return 0 }
    assert(mirror.mode == mode, "the host polls mode \(mirror.mode), not \(mode)")
    let base = opened(mode).base
    let generation = wl_base_generation(base)
    if mirror.shown == generation { return 0 }
    let error = wl_base_show(base, mirror.descriptor)
    if error == 0 { self.mirror?.shown = generation }
    return error
  }
}
