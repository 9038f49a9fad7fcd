import CGLib
import GLibHost
import Glibc
import Testing
import WakeLoop

@Suite("A main context of GLib's in a loop")
struct GLibHostTests {
  let loop = Loop.current
  let context = MainContext()

  /// Runs until a condition holds, and no longer than is sensible.
  ///
  /// Nothing but what is tested wakes the loop before that.
  private func run(mode: Loop.Mode = .default, until isDone: () -> Bool) {
    let limit = loop.after(.seconds(20), in: mode) { _ in }
    loop.run(mode: mode) { !isDone() && limit.isValid }
    #expect(limit.isValid)
    limit.invalidate()
    #expect(isDone())
  }

  @Test("a timeout of its own is never early, and repeats")
  func timeout() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let start = Loop.Instant.now
    var fires: [Loop.Instant] = []
    context.every(20) {
      fires.append(.now)
      return fires.count < 5
    }
    run { fires.count == 5 }
    for (number, instant) in fires.enumerated() {
      #expect(instant >= start + .milliseconds(20 * (number + 1)))
    }
  }

  @Test("its handlers see the pass's now, come after the loop's timers and before its performs")
  func order() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    var calls: [String] = []
    var stamps: Set<Loop.Stamp> = []
    func note(_ name: String) {
      calls.append(name)
      stamps.insert(loop.stamp)
    }
    context.whenIdle {
      note("GLib")
      return false
    }
    loop.after(.zero) { _ in note("timer") }
    loop.perform { note("perform") }
    run { calls.count == 3 }
    #expect(calls == ["timer", "GLib", "perform"])
    #expect(stamps.count == 1)
  }

  @Test("what another thread attaches wakes the loop")
  func otherThread() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let context = context
    let thread = try LoopThread(name: "attaches")
    let count = Count()
    let here = ownThread()
    for _ in 0..<100 {
      let before = count.value
      thread.remote.perform {
        // Late enough that the loop sleeps, mostly.
        usleep(500)
        context.soon { if ownThread() == here { count.value += 1 } }
      }
      // No timer of ours: only the context's wake-up can end the wait.
      let limit = loop.after(.seconds(20)) { _ in }
      loop.run(mode: .default) { count.value == before && limit.isValid }
      limit.invalidate()
      #expect(count.value == before + 1)
    }
    thread.stop()
  }

  @Test("a descriptor is told as long as it is ready, and for what was asked")
  func descriptor() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let pipe = Pipe()
    defer { pipe.close() }
    var reads = 0
    let number = context.watch(pipe.reading, for: POLLIN) { events in
      #expect(events == Int32(POLLIN))
      reads += pipe.read(1)
      return true
    }
    for _ in 0..<3 { pipe.write() }
    run { reads == 3 }
    var writes = 0
    context.watch(pipe.writing, for: POLLOUT) { events in
      #expect(events == Int32(POLLOUT))
      writes += 1
      return writes < 4
    }
    run { writes == 4 }
    context.remove(number)
    pipe.write()
    loop.run(mode: .default, for: .milliseconds(50))
    #expect(reads == 3)
  }

  @Test("a number that was closed and is another file's by now is watched anew", arguments: [false, true])
  func reusedNumber(oldFileLivesOn: Bool) throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    var reads = 0
    for round in 1...3 {
      let old = Pipe()
      let new = Pipe()
      context.watch(old.reading, for: POLLIN) { _ in
        reads += old.read()
        return false
      }
      loop.run(mode: .default, for: .zero)
      let duplicate = oldFileLivesOn ? dup(old.reading) : -1
      // What the context asks for looks the same after this.
      dup2(new.reading, old.reading)
      if oldFileLivesOn { old.write() }
      #expect(passes(in: .milliseconds(50)) < 10)
      #expect(reads == round - 1)
      new.write()
      run { reads == round }
      if oldFileLivesOn { close(duplicate) }
      old.close()
      new.close()
    }
  }

  @Test("a file that was closed and lives on in a duplicate does not keep the loop awake")
  func closedUnderneath() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let pipe = Pipe()
    let watch = context.watch(pipe.reading, for: POLLIN) { _ in true }
    loop.run(mode: .default, for: .zero)
    let duplicate = dup(pipe.reading)
    close(pipe.reading)
    context.remove(watch)
    pipe.write()
    #expect(passes(in: .milliseconds(200)) < 10)
    close(duplicate)
    close(pipe.writing)
  }

  @Test("a hung-up descriptor is told until it is let go, as GLib does it, and then no more")
  func hangUp() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let pipe = Pipe()
    var told = 0
    context.watch(pipe.reading, for: POLLIN) { events in
      told += 1
      #expect(events & Int32(POLLHUP) != 0)
      return told < 50
    }
    close(pipe.writing)
    run { told == 50 }
    close(pipe.reading)
    #expect(passes(in: .milliseconds(200)) < 10)
    #expect(told == 50)
  }

  @Test("a regular file is always ready, and a number that is not open is told at once")
  func unwatchable() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    var calls: [Int32] = []
    context.watch(file, for: POLLIN) { events in
      calls.append(events)
      return calls.count < 3
    }
    run { calls.count == 3 }
    #expect(calls.allSatisfy { $0 == Int32(POLLIN) })
    close(file)
    calls = []
    context.watch(100_000, for: POLLIN) { events in
      calls.append(events)
      return false
    }
    run { calls.count == 1 }
    #expect(calls == [Int32(POLLNVAL)])
  }

  @Test("sleeps while nothing is due: hosting costs no wake-up")
  func idle() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    let pipe = Pipe()
    defer { pipe.close() }
    context.watch(pipe.reading, for: POLLIN) { _ in true }
    context.every(3_600_000) { true }
    #expect(passes(in: .milliseconds(500)) < 10)
  }

  @Test("a run nested in one of its handlers goes on serving it, to any depth")
  func nested() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    var depth = 0
    var deepest = 0
    func descend() {
      depth += 1
      deepest = max(deepest, depth)
      if depth < 5 {
        var isDone = false
        context.every(1) {
          descend()
          isDone = true
          return false
        }
        run { isDone }
      }
      depth -= 1
    }
    context.whenIdle {
      descend()
      return false
    }
    run { deepest == 5 && depth == 0 }
  }

  @Test("nothing is lost or called twice where the loop's handlers have GLib go on by itself")
  func iteratedBetween() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    defer { host.invalidate() }
    var asked = 0
    var called = 0
    let beat = loop.schedule(every: .milliseconds(1)) { _ in
      for _ in 0..<3 {
        asked += 1
        context.every(UInt32(asked % 3)) {
          called += 1
          return false
        }
      }
      // As programs do that keep their window alive in a long handler.
      _ = glib_iterate(context.pointer, 0)
    }
    run { asked >= 150 }
    beat.invalidate()
    run { called >= asked }
    loop.run(mode: .default, for: .milliseconds(5))
    #expect(called == asked)
  }

  @Test("is served in the modes it was given, and only there")
  func modes() throws {
    let quiet = Loop.Mode("quiet")
    let host = try GLibHost(context: context.pointer, in: loop, mode: .tracking)
    defer { host.invalidate() }
    var calls = 0
    context.every(1) {
      calls += 1
      return true
    }
    let beat = loop.schedule(every: .milliseconds(1), in: quiet) { _ in }
    loop.run(mode: quiet, for: .milliseconds(30))
    #expect(calls == 0)
    run(mode: .tracking) { calls >= 3 }
    beat.invalidate()
  }

  @Test("two contexts live in one loop")
  func twoContexts() throws {
    let other = MainContext()
    let hosts = try [
      GLibHost(context: context.pointer, in: loop), GLibHost(context: other.pointer, in: loop),
    ]
    defer { for host in hosts { host.invalidate() } }
    var calls = [0, 0]
    context.every(3) {
      calls[0] += 1
      return calls[0] < 10
    }
    other.every(5) {
      calls[1] += 1
      return calls[1] < 10
    }
    run { calls == [10, 10] }
  }

  @Test("let go in one of its own handlers it calls nothing more, and others may drive the context")
  func invalidated() throws {
    let host = try GLibHost(context: context.pointer, in: loop)
    var calls = 0
    context.every(1) {
      calls += 1
      host.invalidate()
      return true
    }
    run { calls == 1 }
    loop.run(mode: .default, for: .milliseconds(20))
    #expect(calls == 1)
    let context = context
    let count = Count()
    try onAnotherThread { count.value = glib_iterate(context.pointer, 1) }
    #expect(count.value == 1)
    #expect(calls == 2)
  }

  @Test("invalidated it goes away, though it was referred to by the loop and by GLib")
  func letGo() throws {
    weak var gone: GLibHost?
    do {
      let host = try GLibHost(context: context.pointer, in: loop)
      gone = host
      loop.run(mode: .default, for: .milliseconds(5))
      host.invalidate()
    }
    loop.run(mode: .default, for: .zero)
    #expect(gone == nil)
  }

  @Test("it goes away with its loop, and gives the context back")
  func loopEnds() throws {
    let context = context
    let thread = try LoopThread(name: "hosts")
    let refusals = Count()
    let isDone = Count()
    let remote = loop.remote
    thread.remote.perform {
      do { _ = try GLibHost(context: context.pointer, in: .current) } catch { refusals.value += 1 }
      // The loop's run ends in a pass in which GLib has run by itself.
      _ = context.every(1) {
        _ = glib_iterate(context.pointer, 0)
        remote.perform { isDone.value = 1 }
        return false
      }
    }
    run { isDone.value == 1 }
    thread.stop()
    thread.join()
    let host = try GLibHost(context: context.pointer, in: loop)
    host.invalidate()
    #expect(refusals.value == 0)
  }

  @Test("a context that another thread drives is refused")
  func refused() throws {
    let context = context
    let refusals = Count()
    let host = try GLibHost(context: context.pointer, in: loop)
    try onAnotherThread {
      do throws(GLibHost.Refusal) {
        _ = try GLibHost(context: context.pointer, in: .current)
      } catch {
        if case .ownedByAnotherThread = error { refusals.value += 1 }
      }
    }
    #expect(refusals.value == 1)
    host.invalidate()
  }

  /// Has a closure run on a thread of its own, and waits until it has.
  private func onAnotherThread(_ body: @escaping @Sendable () -> Void) throws {
    let thread = try LoopThread(name: "another")
    let isDone = Count()
    let remote = loop.remote
    thread.remote.perform {
      body()
      remote.perform { isDone.value = 1 }
    }
    run { isDone.value == 1 }
    thread.stop()
  }

  /// How many passes the loop makes in a time with nothing to do in it.
  private func passes(in duration: Duration) -> Int {
    var passes = 0
    let observer = Loop.Observer(activities: .afterWaiting) { _, _ in passes += 1 }
    loop.add(observer, forMode: .default)
    loop.run(mode: .default, for: duration)
    observer.invalidate()
    return passes
  }
}

/// A number that threads hand each other.
// Sendable is unchecked because the tests write it on one thread at a time, with a wake-up or a join between.
private final class Count: @unchecked Sendable {
  var value: Int32 = 0
}

private func ownThread() -> UInt { pthread_self() }
