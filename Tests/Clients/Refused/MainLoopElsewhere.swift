import WakeLoop

// The main loop is the main actor's. Only a warning, since the property is meant for code of before Swift 6 too; who
// goes on all the same is stopped when the program runs.
func stopMain() {
  #if REFUSED
    // warning: main actor-isolated class property 'main' can not be referenced from a nonisolated context
    Loop.main.stop()
  #else
    Loop.mainRemote.stop()
  #endif
}
