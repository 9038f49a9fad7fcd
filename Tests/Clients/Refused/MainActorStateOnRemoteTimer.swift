import WakeLoop

@MainActor
final class Counter {
  var beats = 0

  func start(on remote: Loop.Remote) {
    #if REFUSED
      // error: main actor-isolated property 'beats' can not be mutated from a Sendable closure
      remote.schedule(every: .seconds(1)) { _ in self.beats += 1 }
    #else
      Loop.mainRemote.schedule(every: .seconds(1)) { _ in self.beats += 1 }
    #endif
  }
}
