import WakeLoop

@MainActor
final class Label {
  var text = ""

  func show(on remote: Loop.Remote) {
    #if REFUSED
      // error: main actor-isolated property 'text' can not be mutated from a Sendable closure
      remote.perform { self.text = "shown" }
    #else
      remote.perform { Loop.mainRemote.perform { self.text = "shown" } }
    #endif
  }
}
