import WakeLoop

// It throws a system's error, and has to be tried.
func listen(to descriptor: Int32, by remote: Loop.Remote) async {
  #if REFUSED
    // error: call can throw, but the error is not handled
    // error: errors thrown from here are not handled
    for await _ in remote.readiness(of: descriptor) {}
  #else
    do throws(Loop.SystemError) {
      for try await _ in remote.readiness(of: descriptor) {}
    } catch { print(error.code) }
  #endif
}
