import Glibc
import Testing
import WakeLoop

/// The parent of the suites that share signals, children and descriptor numbers.
@Suite(.serialized) struct SourceTests {}

/// A thread of its own with a loop of its own, on which no signal is blocked.
struct SourceThread: ~Copyable {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable (Loop) -> Void) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let result = pthread_create(
      &thread, nil,
      { argument in
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body(Loop.current)
        return nil
      }, box.toOpaque())
    precondition(result == 0)
    self.thread = thread
  }

  consuming func join() { pthread_join(thread, nil) }

  private final class Box: Sendable {
    let body: @Sendable (Loop) -> Void
    init(_ body: @escaping @Sendable (Loop) -> Void) { self.body = body }
  }
}

/// Runs `body` with the loop of a new thread, which has ended when this returns.
///
/// Should the body hang, its loop is stopped after a minute, so that the test fails instead.
func onLoopThread(_ body: @escaping @Sendable (Loop) -> Void) {
  SourceThread { loop in
    loop.after(.seconds(60)) { _ in
      Issue.record("the test was still running after a minute")
      loop.stop()
    }.keepsLoopAlive = false
    body(loop)
  }.join()
}

extension Loop {
  /// Runs until a while after nothing happens any more, and tells how many passes that took.
  func passesUntilQuiet(in mode: Mode = .default) -> Int {
    var passes = 0
    let observer = Observer(activities: .afterWaiting) { _, _ in passes += 1 }
    add(observer, forMode: mode)
    run(mode: mode, for: .milliseconds(40))
    observer.invalidate()
    return passes
  }

  /// Runs until a condition holds.
  func run(until condition: () -> Bool) { run(while: { !condition() }) }
}

/// Runs `body` in a forked child and returns its exit status, or the negative number of the signal that ended it.
///
/// Only what is safe after a fork of a process with threads may be done in it.
func inForkedChild(_ body: () -> Int32) -> Int32 {
  let child = forkProcess()
  if child == 0 { _exit(body()) }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status & 0x7f != 0 ? -(status & 0x7f) : (status >> 8) & 0xff
}

// Swift hides fork, since little may be done after it.
@_silgen_name("fork") private func forkProcess() -> Int32
