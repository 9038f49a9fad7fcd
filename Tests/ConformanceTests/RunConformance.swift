import FoundationEssentials
import Testing
import WakeLoop

@Suite("Conformance: runs, stops and nesting")
struct RunConformance {
  @Test(
    "a run tells how it ended: finished, stopped, timed out or a source handled", arguments: Backend.allCases)
  func results(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      func run(_ duration: Duration = .seconds(30), returning: Bool = false) {
        world.log.append("\(loop.run(mode: .default, for: duration, returnAfterSourceHandled: returning))")
      }
      run()
      let far = loop.after(.seconds(3600)) { _ in }
      run(.zero)
      run(.milliseconds(2))
      loop.perform { loop.stop() }
      run()
      loop.after(.milliseconds(1)) { _ in }
      run(.milliseconds(5), returning: true)
      let source = Loop.UserSource {}
      loop.add(source, forMode: .default)
      source.signal()
      run(returning: true)
      source.signal()
      loop.perform { loop.stop() }
      run(returning: true)
      source.invalidate()
      far.invalidate()
      run()
      return world.log
    }
    #expect(
      log == [
        "finished", "timedOut", "timedOut", "stopped", "timedOut", "handledSource", "stopped", "finished",
      ])
  }

  @Test(
    "a run in a mode before a date is false only for a mode with nothing in it; timers don't end it",
    arguments: Backend.allCases)
  func runModeBefore(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      func run(_ seconds: Double) {
        world.log.append("\(loop.run(mode: .default, before: world.date + seconds))")
      }
      run(30)
      loop.after(.milliseconds(1)) { _ in world.log.append("timer") }
      loop.after(.milliseconds(3)) { _ in world.log.append("timer") }
      run(30)
      loop.after(.seconds(3600)) { _ in }
      run(0.002)
      run(-1)
      loop.remote.perform {}
      run(30)
      return world.log
    }
    #expect(log == ["false", "timer", "timer", "true", "true", "true", "true"])
  }

  @Test("a run lasts as long as it was asked to, never less", arguments: Backend.allCases)
  func lasts(_ backend: Backend) async {
    let ranShort = await backend.run { world -> Int in
      let loop = world.loop
      let hold = loop.holdOpen()
      var short = 0
      for milliseconds in 1...4 {
        let start = world.now
        _ = loop.run(mode: .default, for: .milliseconds(milliseconds))
        if start.duration(to: world.now) < .milliseconds(milliseconds) { short += 1 }
      }
      hold.invalidate()
      return short
    }
    #expect(ranShort == 0)
  }

  @Test(
    "a stop is a flag for the innermost run; outside a run it is the next one's", arguments: Backend.allCases)
  func stops(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let hold = loop.holdOpen()
      let inner = Loop.Mode("inner")
      func run(_ mode: Loop.Mode, _ name: String) {
        world.log.append("\(name) \(loop.run(mode: mode, for: .milliseconds(2)))")
      }
      loop.stop()
      loop.stop()
      run(.default, "first")
      run(.default, "second")
      loop.remote.stop()
      run(.default, "third")
      loop.perform {
        loop.perform(inModes: [inner]) { loop.stop() }
        run(inner, "inner")
      }
      run(.default, "outer")
      loop.perform {
        loop.stop()
        run(inner, "inner")
      }
      run(.default, "outer")
      hold.invalidate()
      return world.log
    }
    #expect(
      log == [
        "first stopped", "second timedOut", "third stopped", "inner stopped", "outer timedOut",
        "inner timedOut", "outer stopped",
      ])
  }

  @Test(
    "a nested run has stamps of its own, and leaves the outer pass's as it was", arguments: Backend.allCases)
  func nestedStamps(_ backend: Backend) async {
    let isKept = await backend.run { world -> [Bool] in
      let loop = world.loop
      var kept: [Bool] = []
      let inner = Loop.Mode("inner")
      loop.perform {
        let stamp = loop.stamp
        loop.after(.milliseconds(2), in: inner) { pass in
          kept.append(pass.instant >= stamp.wakeInstant + .milliseconds(2))
          kept.append(pass.iteration > stamp.iteration)
        }
        kept.append(loop.run(mode: inner, for: .seconds(30)) == .finished)
        kept.append(loop.stamp == stamp)
        kept.append(Date.wake == stamp.wakeDate)
      }
      loop.perform { kept.append(loop.run(mode: inner, for: .seconds(30)) == .finished) }
      _ = loop.run(mode: .default, for: .seconds(30))
      return kept
    }
    #expect(isKept == [true, true, true, true, true, true])
  }

  @Test(
    "what a nested run in the same mode has served is not served again by the outer pass",
    arguments: Backend.allCases)
  func servedInside(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let source = Loop.UserSource { world.log.append("source") }
      loop.add(source, forMode: .default)
      source.signal()
      loop.after(.zero) { _ in
        world.log.append("outer")
        _ = loop.run(mode: .default, for: .zero)
        world.log.append("back")
      }
      loop.after(.zero) { _ in world.log.append("timer") }
      loop.perform { world.log.append("perform") }
      world.work(.milliseconds(1))
      _ = loop.run(mode: .default, for: .zero)
      world.log.append("again")
      _ = loop.run(mode: .default, for: .zero)
      return world.log
    }
    #expect(Set(log.prefix(while: { $0 != "again" })) == ["outer", "back", "timer", "source", "perform"])
    #expect(log.filter { ["timer", "source", "perform"].contains($0) }.count == 3)
    #expect(log.first == "outer")
  }

  @Test(
    "a wake asked for outside a run makes exactly the next run's first wait a poll",
    arguments: Backend.allCases)
  func wakeOutside(_ backend: Backend) async {
    let passes = await backend.run { world -> UInt64 in
      let hold = world.loop.holdOpen()
      world.loop.remote.wakeUp()
      world.loop.remote.wakeUp()
      // The first pass polls, and what it schedules takes a second one, which sleeps.
      world.loop.add(
        Loop.Observer(activities: .afterWaiting, repeats: false) { _, _ in
          world.loop.after(.milliseconds(1)) { _ in world.loop.stop() }
        }, forMode: .default)
      _ = world.loop.run(mode: .default, for: .seconds(30))
      let passes = world.loop.iteration - 1
      hold.invalidate()
      return passes
    }
    #expect(passes == 2)
  }

  @Test(
    "a run lasts while its condition holds, which is asked before the first pass and after each",
    arguments: Backend.allCases)
  func whileCondition(_ backend: Backend) async {
    let log = await backend.run { world in
      var beats = 0
      world.loop.schedule(every: .milliseconds(1)) { _ in beats += 1 }
      world.loop.run { beats < 3 }
      world.log.append("\(beats >= 3)")
      let before = world.loop.iteration
      world.loop.run { false }
      world.log.append("\(world.loop.iteration - before)")
      return world.log
    }
    #expect(log == ["true", "0"])
  }

  @Test(
    "the limit date is nil without work, the earliest date with timers, far off with a source only",
    arguments: Backend.allCases)
  func limitDate(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      world.log.append("\(loop.limitDate(forMode: .default) == nil)")
      let source = Loop.UserSource {}
      loop.add(source, forMode: .default)
      world.log.append("\(loop.limitDate(forMode: .default) == .distantFuture)")
      let later = loop.after(.seconds(60)) { _ in }
      let sooner = loop.after(.seconds(30)) { _ in }
      world.log.append("\(loop.limitDate(forMode: .default) == sooner.fireDate)")
      sooner.invalidate()
      world.log.append("\(loop.limitDate(forMode: .default) == later.fireDate)")
      return world.log
    }
    #expect(log == ["true", "true", "true", "true"])
  }
}
