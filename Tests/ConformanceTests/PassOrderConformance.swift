import Testing
import WakeLoop

@Suite("Conformance: the order of a pass")
struct PassOrderConformance {
  @Test(
    "a run is one entry, passes of observers, timers, sources and performs, and one exit",
    arguments: Backend.allCases)
  func phases(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let names: [(Loop.Activity, String)] = [
        (.entry, "entry"), (.beforeTimers, "beforeTimers"), (.beforeSources, "beforeSources"),
        (.beforeWaiting, "beforeWaiting"), (.afterWaiting, "afterWaiting"), (.exit, "exit"),
      ]
      loop.add(
        Loop.Observer(activities: .all) { _, activity in
          world.log.append(names.first { $0.0 == activity }?.1 ?? "?")
        }, forMode: .default)
      let descriptor = world.makeDescriptor()
      descriptor.write()
      _ = try? loop.watch(descriptor.number, in: .default) { source, _ in
        world.log.append("source")
        source.invalidate()
      }
      loop.perform { world.log.append("perform") }
      loop.after(.zero) { _ in world.log.append("timer") }
      world.log.append("\(loop.run(mode: .default, for: .seconds(30)))")
      return world.log
    }
    #expect(
      log == [
        "entry", "beforeTimers", "beforeSources", "beforeWaiting", "afterWaiting", "timer", "source",
        "perform", "exit", "finished",
      ])
  }

  @Test("timers of one pass fire by deadline, then by age, whatever their mode", arguments: Backend.allCases)
  func timerOrder(_ backend: Backend) async {
    let log = await backend.run { world in
      let base = world.now
      let delays = [3, 1, 2, 1, 3, 2, 1]
      for (number, delay) in delays.enumerated() {
        world.loop.schedule(
          at: base + .milliseconds(delay), in: number.isMultiple(of: 2) ? .common : .default
        ) { _ in world.log.append("\(delay).\(number)") }
      }
      world.work(.milliseconds(5))
      _ = world.loop.run(mode: .default, for: .zero)
      return world.log
    }
    #expect(log == ["1.1", "1.3", "1.6", "2.2", "2.5", "3.0", "3.4"])
  }

  @Test(
    "sources of one pass are called by order, then by age, descriptors among the rest",
    arguments: Backend.allCases)
  func sourceOrder(_ backend: Backend) async {
    let log = await backend.run { world in
      var sources: [Loop.UserSource] = []
      for (number, order) in [2, 0, 1, 0].enumerated() {
        let source = Loop.UserSource(order: order) { world.log.append("\(order).\(number)") }
        world.loop.add(source, forMode: number.isMultiple(of: 2) ? .common : .default)
        sources.append(source)
      }
      let descriptor = world.makeDescriptor()
      descriptor.write()
      let watched = Loop.DescriptorSource(descriptor: descriptor.number, order: 1) { _, _ in
        world.log.append("1.descriptor")
        descriptor.read()
      }
      try? world.loop.add(watched, forMode: .default)
      for source in sources.reversed() { source.signal() }
      _ = world.loop.run(mode: .default, for: .zero)
      return world.log
    }
    #expect(log == ["0.1", "0.3", "1.2", "1.descriptor", "2.0"])
  }

  @Test("performs of one pass are called by order, then by age", arguments: Backend.allCases)
  func performOrder(_ backend: Backend) async {
    let log = await backend.run { world in
      for (number, order) in [1, 0, -1, 0].enumerated() {
        world.loop.perform(order: order, inModes: [number.isMultiple(of: 2) ? .common : .default]) {
          world.log.append("\(order).\(number)")
        }
      }
      world.loop.perform { world.log.append("0.plain") }
      _ = world.loop.run(mode: .default, for: .zero)
      return world.log
    }
    #expect(log == ["-1.2", "0.1", "0.3", "0.plain", "1.0"])
  }

  @Test("what a handler schedules for now runs in the next pass, not in its own", arguments: Backend.allCases)
  func nextPass(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      func note(_ name: String) { world.log.append("\(name) \(loop.iteration)") }
      let source = Loop.UserSource {
        note("source")
      }
      loop.add(source, forMode: .default)
      loop.perform {
        note("first")
        source.signal()
        loop.perform {
          note("perform")
          loop.stop()
        }
        loop.after(.zero) { _ in note("timer") }
      }
      _ = loop.run(mode: .default, for: .seconds(30))
      return world.log
    }
    #expect(log == ["first 2", "timer 3", "source 3", "perform 3"])
  }

  @Test(
    "what a before-waiting observer schedules counts for the very wait that follows",
    arguments: Backend.allCases)
  func beforeTheWait(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      loop.after(.seconds(3600)) { _ in }
      let source = Loop.UserSource { world.log.append("source \(loop.iteration)") }
      loop.add(source, forMode: .default)
      loop.add(
        Loop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in
          loop.perform { world.log.append("perform \(loop.iteration)") }
          loop.after(.zero) { _ in world.log.append("timer \(loop.iteration)") }
          source.signal()
        }, forMode: .default)
      _ = loop.run(mode: .default, for: .milliseconds(5), returnAfterSourceHandled: true)
      return world.log
    }
    #expect(log == ["timer 2", "source 2", "perform 2"])
  }

  @Test("what an after-waiting observer schedules for now belongs to the pass", arguments: Backend.allCases)
  func afterTheWait(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      loop.perform { world.log.append("first \(loop.iteration)") }
      loop.add(
        Loop.Observer(activities: .afterWaiting, repeats: false) { _, _ in
          loop.perform { world.log.append("second \(loop.iteration)") }
        }, forMode: .default)
      _ = loop.run(mode: .default, for: .zero)
      return world.log
    }
    #expect(log == ["first 2", "second 2"])
  }

  @Test("what is cancelled by an earlier handler of its pass is not called", arguments: Backend.allCases)
  func cancelledInPass(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var victims: [Loop.Item] = []
      loop.after(.zero) { _ in
        world.log.append("killer")
        for victim in victims { victim.invalidate() }
      }
      victims.append(loop.after(.zero) { _ in world.log.append("timer") })
      let user = Loop.UserSource { world.log.append("user source") }
      loop.add(user, forMode: .default)
      user.signal()
      victims.append(user)
      let descriptor = world.makeDescriptor()
      descriptor.write()
      if let source = try? loop.watch(
        descriptor.number, handler: { _, _ in world.log.append("descriptor source") })
      {
        victims.append(source)
      }
      victims.append(loop.perform(order: 0) { world.log.append("perform") })
      loop.perform { world.log.append("survivor") }
      world.work(.milliseconds(1))
      _ = loop.run(mode: .default, for: .zero)
      world.log.append("\(victims.map(\.isValid).contains(true))")
      return world.log
    }
    #expect(log == ["killer", "survivor", "false"])
  }

  @Test("a paused or removed item that was collected is not called in that pass", arguments: Backend.allCases)
  func pausedInPass(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var timers: [Loop.Timer] = []
      loop.after(.zero) { _ in
        timers[0].isPaused = true
        loop.remove(timers[1], forMode: .common)
      }
      for name in ["paused", "removed"] { timers.append(loop.after(.zero) { _ in world.log.append(name) }) }
      world.work(.milliseconds(1))
      _ = loop.run(mode: .default, for: .zero)
      world.log.append("later")
      timers[0].isPaused = false
      loop.add(timers[1], forMode: .default)
      _ = loop.run(mode: .default, for: .milliseconds(1))
      return world.log
    }
    #expect(log == ["later", "paused", "removed"])
  }
}
