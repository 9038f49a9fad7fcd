import WakeLoop

// Another loop is not the main actor's.
@MainActor
func show(on remote: Loop.Remote, _ update: @escaping @MainActor @Sendable () -> Void) {
  #if REFUSED
    // error: converting function value of type '@MainActor @Sendable () -> Void' to '@Sendable () -> Void' loses global actor 'MainActor'
    remote.perform(update)
  #else
    Loop.mainRemote.perform(update)
  #endif
}
