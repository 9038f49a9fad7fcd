import Testing
import WakeLoop
import WakeLoopTesting

/// In virtual time: the guest's contract, a sentence each.
@Suite("A guest")
struct GuestTests {
  @Test("It tells its next deadline, in milliseconds rounded up for poll(2), and nothing if there is none")
  func deadlines() throws {
    let virtual = VirtualLoop()
    let guest = try virtual.loop.makeGuest()
    #expect(guest.nextDeadline == nil && guest.pollTimeout == -1)
    let timer = virtual.loop.after(.nanoseconds(1_000_001)) { _ in }
    #expect(guest.nextDeadline == virtual.now + .nanoseconds(1_000_001))
    #expect(guest.pollTimeout == 2)
    virtual.block(for: .nanoseconds(1))
    #expect(guest.pollTimeout == 1)
    virtual.block(for: .milliseconds(1))
    #expect(guest.pollTimeout == 0)
    timer.invalidate()
    virtual.loop.after(.seconds(86_400 * 365)) { _ in }
    guest.pass()
    #expect(guest.pollTimeout == .max)
    #expect(guest.mode == .default && guest.descriptor == -1)
  }

  @Test("A date on the wall counts as it stands, so that a clock that was set moves it")
  func wallDeadline() throws {
    let virtual = VirtualLoop()
    virtual.loop.schedule(at: virtual.wallDate.addingTimeInterval(100)) { _ in }
    let guest = try virtual.loop.makeGuest()
    #expect(guest.nextDeadline == virtual.now + .seconds(100))
    virtual.stepWallClock(by: .seconds(40))
    guest.pass()
    #expect(guest.nextDeadline == virtual.now + .seconds(60))
  }

  @Test("A deadline that moves ahead between passes is told, one that is later or within a pass is not")
  func earlierDeadline() throws {
    let virtual = VirtualLoop()
    let start = virtual.now
    let guest = try virtual.loop.makeGuest()
    var told: [Duration] = []
    guest.onEarlierDeadline = { told.append(start.duration(to: $0)) }
    let timer = virtual.loop.after(.seconds(10)) { _ in }
    virtual.loop.after(.seconds(20)) { _ in }
    #expect(told == [.seconds(10)])
    virtual.loop.after(.seconds(5)) { _ in virtual.loop.after(.seconds(1)) { _ in } }
    #expect(told == [.seconds(10), .seconds(5)])
    virtual.block(for: .seconds(5))
    guest.pass()
    #expect(told == [.seconds(10), .seconds(5)])
    #expect(guest.nextDeadline == start + .seconds(6))
    timer.restart(after: .milliseconds(500))
    #expect(told.last == .milliseconds(5500))
    virtual.loop.perform {}
    #expect(told.last == .seconds(5))
    #expect(guest.pollTimeout == 0)
    guest.onEarlierDeadline = nil
  }

  @Test("Whatever comes to be done between passes makes one due at once")
  func dueAtOnce() throws {
    let virtual = VirtualLoop()
    let guest = try virtual.loop.makeGuest()
    let source = Loop.UserSource {}
    virtual.loop.add(source, forMode: .common)
    let observer = Loop.Observer(activities: .all) { _, _ in }
    virtual.loop.add(observer, forMode: .default)
    virtual.loop.add(Loop.UserSource {}, forMode: .tracking)
    let comings: [(String, () -> Void)] = [
      ("a perform", { virtual.loop.perform {} }),
      ("an ordered perform", { virtual.loop.perform(order: 1) {} }),
      ("a signal", { source.signal() }),
      ("a timer for now", { virtual.loop.after(.zero) { _ in } }),
    ]
    for (name, come) in comings {
      #expect(guest.pollTimeout == -1, "before \(name)")
      come()
      #expect(guest.pollTimeout == 0, "\(name)")
      guest.pass()
    }
    // Of another mode nothing is due.
    virtual.loop.perform(inModes: [.tracking]) {}
    #expect(guest.pollTimeout == -1)
  }

  @Test("Its life is one entry and one exit, with the waits' observers before the host waits")
  func oneRun() throws {
    let virtual = VirtualLoop()
    var told: [Loop.Activity] = []
    let observer = Loop.Observer(activities: .all) { _, activity in told.append(activity) }
    virtual.loop.add(observer, forMode: .default)
    let guest = try virtual.loop.makeGuest()
    let ahead: [Loop.Activity] = [.beforeTimers, .beforeSources, .beforeWaiting]
    #expect(told == [.entry] + ahead)
    #expect(virtual.loop.currentMode == nil)
    told = []
    guest.pass()
    #expect(told == [.afterWaiting] + ahead)
    told = []
    guest.end()
    guest.end()
    #expect(told == [.exit])
    #expect(guest.isEnded && guest.nextDeadline == nil && guest.pollTimeout == -1)
  }

  @Test("Dropping it ends its run, and the loop may have another")
  func dropped() throws {
    let virtual = VirtualLoop()
    var exits = 0
    let observer = Loop.Observer(activities: .exit) { _, _ in exits += 1 }
    virtual.loop.add(observer, forMode: .default)
    do {
      let guest = try virtual.loop.makeGuest()
      guest.pass()
    }
    #expect(exits == 1)
    let second = try virtual.loop.makeGuest()
    #expect(!second.isEnded)
  }

  @Test("It ends with its loop")
  func loopEnds() throws {
    let guest: Loop.Guest
    do {
      let virtual = VirtualLoop()
      guest = try virtual.loop.makeGuest()
      #expect(!guest.isEnded)
    }
    #expect(guest.isEnded && guest.descriptor == -1 && guest.nextDeadline == nil)
    guest.end()
  }

  @Test("A stop in a handler, between passes, from a remote or asked for before ends it at its next pass")
  func stops() throws {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    let ways: [(String, () -> Void)] = [
      ("in a handler", { loop.perform { loop.stop() } }),
      ("between passes", { loop.stop() }),
      ("from a remote", { loop.remote.stop() }),
    ]
    for (name, stop) in ways {
      let guest = try loop.makeGuest()
      stop()
      #expect(!guest.isEnded, "\(name)")
      #expect(!guest.pass(), "\(name)")
      #expect(guest.isEnded, "\(name)")
    }
    loop.stop()
    let late = try loop.makeGuest()
    #expect(late.pollTimeout == 0)
    #expect(!late.pass())
    // No stop is left over.
    loop.perform {}
    #expect(loop.run(mode: .default, for: .zero) == .timedOut)
  }

  @Test("A pass that was stopped still calls what it has collected")
  func stopLetsThePassEnd() throws {
    let virtual = VirtualLoop()
    var calls: [Int] = []
    virtual.loop.perform {
      calls.append(1)
      virtual.loop.stop()
    }
    virtual.loop.perform { calls.append(2) }
    let guest = try virtual.loop.makeGuest()
    #expect(!guest.pass())
    #expect(calls == [1, 2])
  }

  @Test("Between its passes the loop may be run, and what such a run leaves is still due")
  func ordinaryRunBetween() throws {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    var calls: [String] = []
    let guest = try loop.makeGuest()
    loop.after(.seconds(1)) { _ in calls.append("first") }
    loop.after(.seconds(3)) { _ in calls.append("second") }
    #expect(loop.run(mode: .default, for: .seconds(2)) == .timedOut)
    #expect(calls == ["first"])
    #expect(guest.nextDeadline == virtual.now + .seconds(1))
    // A perform for the mode that such a run is not in.
    loop.perform { calls.append("third") }
    loop.after(.zero, in: .tracking) { _ in }
    loop.run(mode: .tracking, for: .zero)
    #expect(guest.pollTimeout == 0)
    guest.pass()
    #expect(calls == ["first", "third"])
    // A stop in such a run is that run's.
    loop.perform { loop.stop() }
    #expect(loop.run(mode: .default, for: .seconds(9)) == .stopped)
    #expect(guest.pass())
  }

  @Test(
    "A handler may run the host: a nested pass serves what the outer one has collected, but not who is on the stack"
  )
  func hostRunsInHandler() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    var calls: [String] = []
    let host = VirtualHost(virtual)
    loop.after(.seconds(1)) { _ in
      calls.append("dialog")
      host.guest.prepare()
      #expect(host.guest.pollTimeout == 0)
      host.run(until: { calls.contains("close") })
      calls.append("closed")
      #expect(loop.currentMode == .default)
    }
    loop.after(.seconds(1)) { _ in calls.append("beside") }
    loop.after(.seconds(2)) { _ in calls.append("close") }
    loop.after(.seconds(3)) { _ in loop.stop() }
    host.run()
    #expect(calls == ["dialog", "beside", "close", "closed"])
    #expect(host.guest.isEnded)
  }

  @Test("A stop within a host that a handler runs does not spin, and ends the guest when the handler returns")
  func stopInNestedHost() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    let host = VirtualHost(virtual)
    var nestedPasses = 0
    loop.after(.seconds(1)) { _ in
      host.guest.prepare()
      let before = host.passes
      host.run(until: { host.passes - before >= 50 })
      nestedPasses = host.passes - before
    }
    loop.after(.seconds(2)) { _ in loop.stop() }
    loop.after(.seconds(3)) { _ in }
    host.run()
    #expect(host.guest.isEnded)
    #expect(nestedPasses <= 6, "\(nestedPasses) passes")
  }

  @Test("Made in a handler, it is the innermost run, and the outer one goes on after it")
  func madeInHandler() throws {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    var calls: [String] = []
    loop.after(.seconds(1)) { _ in
      let host = VirtualHost(virtual, mode: .tracking)
      loop.after(.seconds(1), in: .common) { _ in
        calls.append("inside")
        #expect(loop.currentMode == .tracking)
      }
      loop.after(.seconds(2), in: .common) { _ in loop.stop() }
      loop.addCommonMode(.tracking)
      host.run()
      #expect(host.guest.isEnded)
      #expect(loop.currentMode == .default)
    }
    loop.after(.seconds(9)) { _ in calls.append("outside") }
    loop.run()
    #expect(calls == ["inside", "outside"])
  }

  @Test("Misuse is refused by name")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      let virtual = VirtualLoop()
      let first = try? virtual.loop.makeGuest()
      _ = try? virtual.loop.makeGuest()
      _ = first
    }
    await #expect(processExitsWith: .failure) {
      let virtual = VirtualLoop()
      _ = try? virtual.loop.makeGuest(in: .common)
    }
    await #expect(processExitsWith: .failure) {
      let virtual = VirtualLoop()
      guard let guest = try? virtual.loop.makeGuest() else { return }
      virtual.loop.perform { guest.end() }
      passOnce(guest)
    }
    await #expect(processExitsWith: .failure) {
      let virtual = VirtualLoop()
      guard let guest = try? virtual.loop.makeGuest() else { return }
      guest.end()
      passOnce(guest)
    }
    await #expect(processExitsWith: .failure) {
      let virtual = VirtualLoop()
      var guest: Loop.Guest?
      virtual.loop.perform { guest = try? virtual.loop.makeGuest() }
      runOnce(virtual.loop)
      _ = guest
    }
  }
}

private func passOnce(_ guest: Loop.Guest) { guest.pass() }
private func runOnce(_ loop: Loop) { loop.run(mode: .default, for: .zero) }
