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
  /// Runs until nothing happens any more, sleeps a while, and fails if passes go on without calling a source.
  ///
  /// However slow the machine, all that is ready is served.
  /// - Returns: How many passes called no source.
  @discardableResult
  func runUntilQuiet(in mode: Mode = .default, sourceLocation: SourceLocation = #_sourceLocation) -> Int {
    let counter = PassCounter()
    let before = trace
    trace = counter
    let hold = holdOpen()
    var rest: Timer?
    var isOver = false
    let observer = Observer(activities: .beforeWaiting) { [unowned self] _, _ in
      counter.passes += 1
      counter.quiet += 1
      if counter.quiet < PassCounter.enough { remote.wakeUp() }
      guard counter.quiet == PassCounter.enough else { return }
      rest?.invalidate()
      isOver = false
      let timer = Timer(timeInterval: 0.004, repeats: false) { _ in isOver = true }
      add(timer, forMode: mode)
      rest = timer
    }
    add(observer, forMode: mode)
    run(mode: mode, while: { !isOver || counter.quiet < PassCounter.enough })
    observer.invalidate()
    hold.invalidate()
    trace = before
    let idle = counter.passes - counter.busyPasses
    #expect(idle <= 12, "the loop spun: \(idle) passes without a call", sourceLocation: sourceLocation)
    return idle
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

/// Counts passes, and those in which a source was called.
private final class PassCounter: LoopTrace {
  /// So many passes in a row without a call are taken for the end.
  static let enough = 3
  var passes = 0
  var quiet = 0
  var busyPasses = 0
  private var lastBusy: UInt64 = 0

  func event(_ kind: Loop.TraceKind, item: Loop.Item?, stamp: Loop.Stamp) {
    guard kind == .sourceCalled else { return }
    quiet = 0
    if stamp.iteration != lastBusy { busyPasses += 1 }
    lastBusy = stamp.iteration
  }
}
