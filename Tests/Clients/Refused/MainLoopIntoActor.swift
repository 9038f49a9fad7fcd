import WakeLoop

actor Keeper {
  private let loop: Loop
  init(loop: Loop) { self.loop = loop }
}

actor RemoteKeeper {
  private let remote: Loop.MainRemote
  init(remote: Loop.MainRemote) { self.remote = remote }
}

@MainActor
func keep() {
  #if REFUSED
    // error: sending value of non-Sendable type 'Loop' risks causing data races
    _ = Keeper(loop: Loop.main)
  #else
    _ = RemoteKeeper(remote: Loop.mainRemote)
  #endif
}
