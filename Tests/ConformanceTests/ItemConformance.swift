import Testing
import WakeLoop

@Suite("Conformance: modes, observers, sources and performs")
struct ItemConformance {
  @Test(
    "only the running mode's items act; common ones act in each mode of the set, also in a later one",
    arguments: Backend.allCases)
  func modes(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let mine = Loop.Mode("mine")
      var mode = ""
      func run(_ name: String, _ running: Loop.Mode) {
        mode = name
        _ = loop.run(mode: running, for: .milliseconds(3))
      }
      let hold = loop.holdOpen()
      loop.after(.milliseconds(1), in: .default) { _ in world.log.append("\(mode): default") }
      loop.after(.milliseconds(1), in: .tracking) { _ in world.log.append("\(mode): tracking") }
      loop.after(.milliseconds(1), in: mine) { _ in world.log.append("\(mode): mine") }
      run("tracking", .tracking)
      loop.after(.milliseconds(1), in: .common) { _ in world.log.append("\(mode): common") }
      run("mine", mine)
      loop.addCommonMode(mine)
      run("mine", mine)
      run("default", .default)
      hold.invalidate()
      return world.log
    }
    #expect(log == ["tracking: tracking", "mine: mine", "mine: common", "default: default"])
  }

  @Test(
    "observers are told by order, then by age, once though in several modes, and a one-time one once",
    arguments: Backend.allCases)
  func observerOrder(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      func add(_ name: String, order: Int, repeats: Bool = true, modes: [Loop.Mode]) {
        let observer = Loop.Observer(activities: .afterWaiting, repeats: repeats, order: order) { _, _ in
          world.log.append(name)
        }
        for mode in modes { loop.add(observer, forMode: mode) }
      }
      add("c", order: 1, modes: [.default, .common])
      add("a", order: -1, repeats: false, modes: [.common])
      add("d", order: 1, modes: [.default])
      add("b", order: 0, modes: [.default, .tracking])
      let hold = loop.holdOpen()
      _ = loop.run(mode: .default, for: .zero)
      world.log.append("|")
      _ = loop.run(mode: .default, for: .zero)
      hold.invalidate()
      return world.log
    }
    #expect(log == ["a", "b", "c", "d", "|", "b", "c", "d"])
  }

  @Test(
    "observers that add, remove and end observers make none skipped and none told twice",
    arguments: Backend.allCases)
  func observersChange(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var made: [String: Loop.Observer] = [:]
      func add(_ name: String, _ act: @escaping () -> Void = {}) {
        let observer = Loop.Observer(activities: .afterWaiting) { _, _ in
          world.log.append(name)
          act()
        }
        made[name] = observer
        loop.add(observer, forMode: .default)
      }
      add("one") { made["one"]?.invalidate() }
      add("two") {
        made["three"]?.invalidate()
        if made["five"] == nil { add("five") }
      }
      add("three")
      add("four") { if let one = made["two"] { loop.remove(one, forMode: .default) } }
      let hold = loop.holdOpen()
      for _ in 0..<3 {
        _ = loop.run(mode: .default, for: .zero)
        world.log.append("|")
      }
      hold.invalidate()
      return world.log
    }
    #expect(log == ["one", "two", "four", "|", "four", "five", "|", "four", "five", "|"])
  }

  @Test(
    "a user source is called once however often it was signalled, and again if signalled inside",
    arguments: Backend.allCases)
  func userSource(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var calls = 0
      var again: Loop.UserSource?
      let source = Loop.UserSource(
        onSchedule: { _, mode in world.log.append("scheduled \(mode)") },
        onCancel: { _, mode in world.log.append("cancelled \(mode)") }
      ) {
        calls += 1
        world.log.append("call \(calls)")
        if calls == 1 { again?.signal() } else { loop.stop() }
      }
      again = source
      let mode = Loop.Mode("mine")
      loop.add(source, forMode: mode)
      source.signal()
      source.signal()
      world.log.append("\(loop.run(mode: mode, for: .seconds(30)))")
      world.log.append("\(loop.run(mode: mode, for: .milliseconds(1)))")
      source.signal()
      source.invalidate()
      world.log.append("\(loop.run(mode: mode, for: .milliseconds(2)))")
      again = nil
      return world.log
    }
    #expect(
      log == [
        "scheduled mine", "call 1", "call 2", "stopped", "timedOut", "cancelled mine", "finished",
      ])
  }

  @Test("a source signalled for another mode waits for a run in its own", arguments: Backend.allCases)
  func signalledElsewhere(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let source = Loop.UserSource { world.log.append("served") }
      loop.add(source, forMode: .tracking)
      source.signal()
      let hold = loop.holdOpen()
      let before = loop.iteration
      _ = loop.run(mode: .default, for: .milliseconds(3))
      world.log.append("\(loop.iteration - before <= 4)")
      _ = loop.run(mode: .tracking, for: .milliseconds(1))
      hold.invalidate()
      return world.log
    }
    #expect(log == ["true", "served"])
  }

  @Test(
    "a source that says it has something pending is served without a wait, in that pass",
    arguments: Backend.allCases)
  func pending(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      var queue = 0
      let descriptor = world.makeDescriptor()
      let source = Loop.DescriptorSource(descriptor: descriptor.number, isPending: { queue > 0 }) {
        _, _ in
        world.log.append("served \(queue) \(loop.iteration)")
        queue -= 1
        if queue == 0 { loop.stop() }
      }
      try? loop.add(source, forMode: .default)
      loop.add(
        Loop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in queue = 2 }, forMode: .default)
      world.log.append("\(loop.run(mode: .default, for: .seconds(30)))")
      world.log.append("\(loop.run(mode: .default, for: .milliseconds(1)))")
      return world.log
    }
    #expect(log == ["served 2 2", "served 1 3", "stopped", "timedOut"])
  }

  @Test(
    "a readable descriptor is told in every pass until it is read, not while paused or without interest",
    arguments: Backend.allCases)
  func descriptor(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      let descriptor = world.makeDescriptor()
      var reads = false
      let source = Loop.DescriptorSource(descriptor: descriptor.number) { _, event in
        world.log.append(event.contains(.readable) ? "readable" : "other")
        if reads { descriptor.read() }
      }
      try? loop.add(source, forMode: .default)
      func run(_ name: String) {
        world.log.append(
          "\(name): \(loop.run(mode: .default, for: .milliseconds(3), returnAfterSourceHandled: true))")
      }
      run("silent")
      descriptor.write()
      run("ready")
      run("still")
      source.isPaused = true
      run("paused")
      source.isPaused = false
      source.interest = []
      run("no interest")
      source.interest = .read
      reads = true
      run("back")
      run("read")
      source.invalidate()
      descriptor.write()
      run("ended")
      return world.log
    }
    #expect(
      log == [
        "silent: timedOut", "readable", "ready: handledSource", "readable", "still: handledSource",
        "paused: timedOut", "no interest: timedOut", "readable", "back: handledSource", "read: timedOut",
        "ended: finished",
      ])
  }

  @Test(
    "a perform in several modes is called once, by whichever runs first; own ones don't count as handled",
    arguments: Backend.allCases)
  func performs(_ backend: Backend) async {
    let log = await backend.run { world in
      let loop = world.loop
      loop.perform(inModes: [.default, .tracking]) { world.log.append("both") }
      loop.perform(inModes: [.tracking]) { world.log.append("tracking") }
      loop.perform { world.log.append("default") }
      let hold = loop.holdOpen()
      func run(_ mode: Loop.Mode) {
        world.log.append("\(loop.run(mode: mode, for: .milliseconds(1), returnAfterSourceHandled: true))")
      }
      run(.default)
      run(.tracking)
      loop.remote.perform {}
      run(.default)
      hold.invalidate()
      return world.log
    }
    #expect(log == ["both", "default", "timedOut", "tracking", "timedOut", "handledSource"])
  }
}
