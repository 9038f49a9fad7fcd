import Glibc

/// A thread that one joins.
struct TestThread: ~Copyable {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let result = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    precondition(result == 0)
    self.thread = thread
  }

  consuming func join() { pthread_join(thread, nil) }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// Runs `body` with no signal blocked on this thread, which Dispatch's workers block all of.
func withSignalsUnblocked(_ body: () throws -> Void) rethrows {
  var none = sigset_t()
  var before = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  try body()
}

/// Runs `body` in a forked child, which ends with the number that it returns.
///
/// Only what is safe after a fork of a process with threads may be done in it.
func inForkedChild(_ body: () -> Int32) -> Int32 {
  let child = forkProcess()
  if child == 0 { _exit(body()) }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  // A signal's number, else the exit status.
  return status & 0x7f != 0 ? -(status & 0x7f) : (status >> 8) & 0xff
}

// Swift hides fork, since little may be done after it.
@_silgen_name("fork") private func forkProcess() -> Int32
