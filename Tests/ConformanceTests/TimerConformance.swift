import FoundationEssentials
import Testing
import WakeLoop

@Suite("Conformance: timers")
struct TimerConformance {
  @Test("timers are never early, by the clock that they were asked on", arguments: Backend.allCases)
  func neverEarly(_ backend: Backend) async {
    let early = await backend.run { world -> [String] in
      let loop = world.loop
      for step in 0..<40 {
        let delay = Duration.microseconds(step * 137) + .nanoseconds(step)
        let due = world.now + delay
        loop.after(delay) { if $0.instant < due { world.log.append("after \(delay)") } }
        let date = world.date + Double(step) * 0.000_137
        loop.schedule(at: date) { if $0.date < date { world.log.append("at \(date)") } }
        world.within {
          Loop.Timer.scheduledTimer(withTimeInterval: Double(step) * 0.000_137, repeats: false) { timer in
            if loop.wakeDate < timer.fireDate { world.log.append("timer of \(timer.fireDate)") }
          }
        }
      }
      world.log.append("\(loop.run(mode: .default, for: .seconds(30)))")
      return world.log
    }
    #expect(early == ["finished"])
  }

  @Test(
    "a repeating timer keeps its grid, and each beat is either a call or counted as missed",
    arguments: Backend.allCases)
  func grid(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let interval = Duration.milliseconds(4)
      let start = world.now + interval
      var calls = 0
      var missed = 0
      loop.schedule(every: interval, startingAt: start) { pass in
        calls += 1
        missed += pass.missed
        let offset = start.duration(to: pass.due)
        let beat = Int((offset / interval).rounded())
        if offset != interval * beat { world.log.append("off the grid by \(offset - interval * beat)") }
        if pass.instant < pass.due { world.log.append("early") }
        if pass.late != pass.due.duration(to: pass.instant) { world.log.append("late \(pass.late)") }
        if calls % 3 == 1 { world.work(.milliseconds(10)) }
        if calls == 9 { loop.stop() }
      }
      world.log.append("\(loop.run(mode: .default, for: .seconds(30)))")
      world.log.append("\(missed >= 3)")
      return world.log
    }
    #expect(log == ["stopped", "true"])
  }

  @Test("missed beats are skipped, delayed or burst as asked for", arguments: Backend.allCases)
  func policies(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var dues: [String: [Int]] = [:]
      let start = world.now + .milliseconds(50)
      func add(_ name: String, _ policy: Loop.MissedBeats) {
        loop.schedule(every: .milliseconds(50), startingAt: start, missed: policy) { pass in
          dues[name, default: []].append(Int(start.duration(to: pass.due) / .milliseconds(1)))
        }
      }
      add("skip", .skip)
      add("delay", .delay)
      add("burst", .burst(limit: 10))
      // Three beats of each pass before the loop looks.
      world.work(.milliseconds(160))
      let lookedAt = world.now
      loop.run { (dues["burst"]?.count ?? 0) < 3 }
      world.log.append("skip \(dues["skip"]?.first ?? -1), delay \(dues["delay"]?.first ?? -1)")
      world.log.append("burst \(dues["burst"]?.prefix(3).map { $0 } ?? [])")
      _ = loop.run(mode: .default, for: .milliseconds(60))
      // The delayed one's next beat is a whole interval after the late one.
      let next = start + .milliseconds(dues["delay"]?.dropFirst().first ?? 0)
      world.log.append("\(next >= lookedAt + .milliseconds(49))")
      return world.log
    }
    #expect(log == ["skip 0, delay 0", "burst [0, 50, 100]", "true"])
  }

  @Test(
    "tolerant timers whose windows overlap share a pass; a strict one is not moved",
    arguments: Backend.allCases)
  func tolerance(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let start = world.now
      var passes: [String: UInt64] = [:]
      loop.after(.milliseconds(5), tolerance: .seconds(20)) { passes["first"] = $0.iteration }
      loop.after(.milliseconds(10), tolerance: .seconds(20)) { passes["second"] = $0.iteration }
      loop.after(.milliseconds(20)) { pass in
        passes["strict"] = pass.iteration
        if pass.instant < start + .milliseconds(20) { world.log.append("early") }
      }
      let before = loop.iteration
      world.log.append("\(loop.run(mode: .default, for: .seconds(10)))")
      world.log.append("\(passes["first"] == passes["strict"] && passes["second"] == passes["strict"])")
      world.log.append("\(loop.iteration - before)")
      return world.log
    }
    #expect(log == ["finished", "true", "2"])
  }

  @Test("a timer of infinite tolerance fires only when the loop is awake anyway", arguments: Backend.allCases)
  func infiniteTolerance(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      loop.after(.milliseconds(1), tolerance: .seconds(Int64.max)) { _ in world.log.append("tolerant") }
      loop.after(.milliseconds(8)) { _ in world.log.append("strict") }
      let before = loop.iteration
      _ = loop.run(mode: .default, for: .seconds(10))
      world.log.append("\(loop.iteration - before)")
      return world.log
    }
    #expect(log == ["tolerant", "strict", "2"])
  }

  @Test(
    "a timer paused over its beats counts them as missed and goes on on its grid", arguments: Backend.allCases
  )
  func paused(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let start = world.now
      var missed = 0
      var calls = 0
      let timer = loop.schedule(every: .milliseconds(10)) { pass in
        calls += 1
        missed += pass.missed
        let beat = Int((start.duration(to: pass.due) / .milliseconds(10)).rounded())
        if beat != calls + missed { world.log.append("beat \(beat) after \(calls) calls, \(missed) missed") }
        loop.stop()
      }
      timer.isPaused = true
      _ = loop.run(mode: .default, for: .milliseconds(35))
      world.log.append("\(calls)")
      timer.isPaused = false
      _ = loop.run(mode: .default, for: .seconds(10))
      world.log.append("\(calls) \(missed >= 3) \(timer.missedFires == missed)")
      return world.log
    }
    // The grid's origin is read by the timer itself, a little after the test's in real time.
    #expect(log.last == "1 true true")
    #expect(log.first == "0")
  }

  @Test("a timer in several modes fires once for each beat", arguments: Backend.allCases)
  func severalModes(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let timer = loop.after(.milliseconds(1), in: .default) { _ in world.log.append("fired") }
      loop.add(timer, forMode: .common)
      loop.add(timer, forMode: .tracking)
      loop.after(.milliseconds(1), in: .common) { _ in world.log.append("common") }
      _ = loop.run(mode: .tracking, for: .seconds(10))
      _ = loop.run(mode: .default, for: .milliseconds(1))
      return world.log
    }
    #expect(log == ["fired", "common"])
  }

  @Test(
    "a nested run does not enter a timer's handler again; its beats meanwhile are missed",
    arguments: Backend.allCases)
  func notReentered(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var depth = 0
      var calls = 0
      var missed = 0
      loop.schedule(every: .milliseconds(2), in: .default) { pass in
        depth += 1
        calls += 1
        missed += pass.missed
        if depth > 1 { world.log.append("entered again") }
        if calls == 1 { world.log.append("\(loop.run(mode: .default, for: .milliseconds(9)))") }
        if calls == 2 { loop.stop() }
        depth -= 1
      }
      world.log.append("\(loop.run(mode: .default, for: .seconds(10)))")
      world.log.append("\(missed >= 3)")
      return world.log
    }
    #expect(log == ["timedOut", "stopped", "true"])
  }
}
