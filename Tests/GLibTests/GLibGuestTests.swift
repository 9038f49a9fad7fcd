import CGLib
import GLibGuest
import GLibHost
import Glibc
import Synchronization
import Testing
import WakeLoop

/// A program of GLib's that a loop is the guest of: one run of a context's, until the loop is stopped.
private final class Program {
  let context = MainContext()
  let loop = Loop.current
  let guest: GLibGuest
  let glib: OpaquePointer
  private(set) var passes = 0
  private var observer: Loop.Observer?

  init(mode: Loop.Mode = .default, priority: Int32 = 0) throws {
    glib = glib_main_loop_new(context.pointer)
    guest = try GLibGuest(loop, in: context.pointer, mode: mode, priority: priority)
    let glib = glib
    guest.onStop = { glib_quit(glib) }
    let observer = Loop.Observer(activities: .afterWaiting) { [unowned self] _, _ in passes += 1 }
    loop.add(observer, forMode: .common)
    self.observer = observer
  }

  deinit {
    observer?.invalidate()
    glib_main_loop_unref(glib)
  }

  /// Runs GLib until the loop is stopped, and no longer than is sensible.
  func run() {
    let limit = context.every(20_000) {
      Issue.record("nobody has stopped the loop")
      self.loop.stop()
      return false
    }
    glib_run(glib)
    context.remove(limit)
    #expect(guest.isEnded)
  }
}

@Suite("A loop in a program of GLib's")
struct GLibGuestTests {
  @Test("has its timers on time, never early, with a pass for each date and GLib's own beside them")
  func timers() {
    onLoopThread { loop in
      let program = try Program()
      var beats = 0
      var timeouts = 0
      program.context.every(3) {
        timeouts += 1
        return true
      }
      loop.schedule(every: .milliseconds(5)) { pass in
        if pass.instant < pass.due { Issue.record("due at \(pass.due), called at \(pass.instant)") }
        beats += 1
        if beats == 10 { loop.stop() }
      }
      program.run()
      #expect(beats == 10)
      #expect(timeouts > 0)
      // A pass for each beat: GLib's timeouts are none of the loop's business.
      #expect(program.passes <= beats + 2, "\(program.passes) passes")
    }
  }

  @Test("sleeps while nothing is due, and so does GLib")
  func idle() {
    onLoopThread { loop in
      let program = try Program()
      loop.after(.seconds(3600)) { _ in }
      let pipe = Pipe()
      defer { pipe.close() }
      _ = try loop.watch(pipe.reading) { _, _ in }
      var iterations = 0
      var isOver = false
      program.context.every(300) {
        isOver = true
        return false
      }
      while !isOver {
        _ = glib_iterate(program.context.pointer, 1)
        iterations += 1
      }
      #expect(iterations <= 10)
      #expect(program.passes <= 4)
      program.guest.end()
    }
  }

  @Test("gives GLib's handlers and its own one now each, in passes that don't overlap")
  func stamps() {
    onLoopThread { loop in
      let program = try Program()
      var calls: [String] = []
      program.context.every(1) {
        // Between two passes the loop is outside of any run: there is no shared now to go stale.
        if loop.currentMode != nil { Issue.record("called within a pass") }
        calls.append("GLib")
        return true
      }
      var first: Loop.Stamp?
      loop.schedule(every: .milliseconds(2)) { _ in first = loop.stamp }
      loop.schedule(every: .milliseconds(2)) { _ in
        if let first, loop.stamp.iteration == first.iteration { #expect(loop.stamp == first) }
        calls.append("loop")
        if calls.count >= 40 { loop.stop() }
      }
      program.run()
      #expect(calls.contains("GLib") && calls.contains("loop"))
    }
  }

  @Test("loses none of 20,000 posts from four threads")
  func posts() {
    onLoopThread { loop in
      let program = try Program()
      let served = Mutex(0)
      let remote = loop.remote
      let threads = try (0..<4).map { try LoopThread(name: "posts \($0)") }
      for thread in threads {
        thread.remote.perform {
          for number in 1...5_000 {
            remote.perform {
              let count = served.withLock {
                $0 += 1
                return $0
              }
              if count == 20_000 { remote.stop() }
            }
            if number % 64 == 0 { sched_yield() }
          }
        }
      }
      program.run()
      #expect(served.withLock { $0 } == 20_000)
      for thread in threads { thread.stop() }
    }
  }

  @Test("is woken for descriptors, and for what GLib's handlers ask of it")
  func descriptors() {
    onLoopThread { loop in
      let program = try Program()
      let pipe = Pipe()
      defer { pipe.close() }
      var reads = 0
      let source = try loop.watch(pipe.reading) { _, _ in
        reads += pipe.read(1)
        if reads == 20 { loop.perform { loop.stop() } }
      }
      var asked = 0
      program.context.every(1) {
        loop.perform { asked += 1 }
        pipe.write()
        return true
      }
      program.run()
      #expect(reads == 20)
      #expect(asked >= 20)
      source.invalidate()
    }
  }

  @Test("is served in the mode it was given", arguments: [Loop.Mode.default, .tracking])
  func modes(mode: Loop.Mode) {
    onLoopThread { loop in
      let program = try Program(mode: mode)
      var calls: Set<Loop.Mode> = []
      let resting: Loop.Mode = mode == .default ? .tracking : .default
      let other = loop.schedule(every: .milliseconds(1), in: resting) { _ in calls.insert(resting) }
      loop.schedule(every: .milliseconds(1), in: mode) { _ in calls.insert(mode) }
      loop.after(.milliseconds(20)) { _ in loop.stop() }
      program.run()
      #expect(calls == [mode])
      other.invalidate()
    }
  }

  @Test(
    "goes on while one of its handlers runs GLib, to any depth, and a stop there is meant for the program")
  func dialogs() {
    onLoopThread { loop in
      let program = try Program()
      var depth = 0
      var deepest = 0
      var beats: [Int: Int] = [:]
      loop.schedule(every: .milliseconds(1)) { _ in beats[depth, default: 0] += 1 }
      func open() {
        depth += 1
        deepest = max(deepest, depth)
        let dialog = glib_main_loop_new(program.context.pointer)
        if depth < 4 {
          loop.perform(inModes: [.default]) {
            open()
            glib_quit(dialog)
          }
        } else {
          loop.after(.milliseconds(10)) { _ in glib_quit(dialog) }
        }
        glib_run(dialog)
        glib_main_loop_unref(dialog)
        depth -= 1
        if depth == 0 { loop.stop() }
      }
      loop.perform { open() }
      program.run()
      #expect(deepest == 4)
      #expect(try #require(beats[4]) > 0)
    }
  }

  @Test("is served by GLib in a handler of a context that the loop hosts, as under a modal dialog")
  func dialogOfHostedContext() {
    onLoopThread { loop in
      let context = MainContext()
      let host = try GLibHost(context: context.pointer, in: loop)
      var beats = 0
      var timeouts = 0
      var beatsInDialog = -1
      loop.schedule(every: .milliseconds(1)) { _ in beats += 1 }
      context.every(1) {
        timeouts += 1
        return true
      }
      context.every(5) {
        let dialog = glib_main_loop_new(context.pointer)
        let guest = try! GLibGuest(loop, in: context.pointer)
        let before = (beats, timeouts)
        // GLib is left only when both have had their turns in it.
        context.every(1) {
          if beats < before.0 + 10 || timeouts < before.1 + 10 { return true }
          glib_quit(dialog)
          return false
        }
        glib_run(dialog)
        guest.end()
        glib_main_loop_unref(dialog)
        beatsInDialog = beats - before.0
        loop.stop()
        return false
      }
      loop.after(.seconds(20)) { _ in loop.stop() }
      loop.run(mode: .default) { true }
      #expect(beatsInDialog >= 10)
      host.invalidate()
    }
  }

  @Test("ended or dropped, in GLib's handlers or its own, it leaves nothing in the context")
  func ends() {
    onLoopThread { loop in
      let context = MainContext()
      for round in 0..<200 {
        var guest: GLibGuest? = try GLibGuest(loop, in: context.pointer)
        var isDropped = false
        switch round % 4 {
        case 0: guest?.end()
        case 1:
          // In its own handler, whose pass goes on to its end.
          loop.perform { guest = nil }
          loop.perform { isDropped = true }
          while !isDropped { _ = glib_iterate(context.pointer, 1) }
        case 2:
          _ = context.every(0) {
            guest = nil
            return false
          }
          while guest != nil { _ = glib_iterate(context.pointer, 1) }
        default:
          loop.stop()
          while guest?.isEnded == false { _ = glib_iterate(context.pointer, 1) }
        }
        guest = nil
        let late = loop.after(.zero) { _ in Issue.record("called in round \(round) by a guest that is gone") }
        #expect(glib_iterate(context.pointer, 0) == 0)
        late.invalidate()
      }
    }
  }

  @Test("goes by GLib's priorities")
  func priority() {
    onLoopThread { loop in
      for (priority, first) in [(Int32(-10), "loop"), (10, "GLib")] {
        let program = try Program(priority: priority)
        var calls: [String] = []
        loop.perform {
          calls.append("loop")
          loop.stop()
        }
        program.context.every(0) {
          calls.append("GLib")
          return false
        }
        program.run()
        if calls.count < 2 { _ = glib_iterate(program.context.pointer, 0) }
        #expect(calls.first == first)
      }
    }
  }
}
