import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("A loop in virtual time")
struct VirtualLoopTests {
  @Test("an advance moves all clocks by exactly so much, also when the loop has nothing to do")
  func advanceIsExact() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let date = virtual.wallDate
    #expect(date == VirtualLoop.startDate)
    #expect(virtual.advance(by: .seconds(3600)) == .reachedEnd)
    #expect(virtual.now == start + .seconds(3600))
    #expect(virtual.wallDate == date + 3600)
    virtual.loop.after(.milliseconds(1)) { _ in }
    #expect(virtual.advance(by: .seconds(1)) == .reachedEnd)
    #expect(virtual.now == start + .seconds(3601))
    #expect(virtual.advance(to: start) == .reachedEnd)
    #expect(virtual.now == start + .seconds(3601))
  }

  @Test("an advance runs first what is runnable now, then each due instant in a pass of its own")
  func advanceGoesInstantByInstant() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var log: [String] = []
    func note(_ name: String) { log.append("\(name) \(start.duration(to: virtual.loop.wakeInstant))") }
    virtual.loop.perform {
      note("perform")
      virtual.loop.perform { note("perform's") }
    }
    virtual.loop.after(.seconds(2)) { _ in note("two") }
    virtual.loop.after(.seconds(1)) { _ in
      note("one")
      virtual.loop.after(.seconds(1)) { _ in note("one's") }
    }
    virtual.loop.after(.seconds(3)) { _ in note("three") }
    virtual.loop.after(.seconds(3) + .nanoseconds(1)) { _ in note("late") }
    virtual.advance(by: .seconds(3))
    #expect(
      log == [
        "perform 0.0 seconds", "perform's 0.0 seconds", "one 1.0 seconds", "two 2.0 seconds",
        "one's 2.0 seconds", "three 3.0 seconds",
      ])
  }

  @Test("one advance and the same time in pieces play the same")
  func piecesAreAWhole() {
    func play(_ pieces: Int) -> [String] {
      let virtual = VirtualLoop()
      var random = SplitMix64(seed: 5)
      var log: [String] = []
      for number in 0..<20 {
        let interval = Duration.milliseconds(Int64.random(in: 1...90, using: &random))
        virtual.loop.schedule(every: interval) { pass in
          log.append("\(number) \(pass.instant.nanoseconds) \(pass.missed)")
          virtual.loop.perform { log.append("\(number)'s") }
        }
      }
      for _ in 0..<pieces { virtual.advance(by: .seconds(12) / pieces) }
      return log
    }
    let whole = play(1)
    #expect(whole.count > 1_000)
    #expect(play(12) == whole)
    #expect(play(4_000) == whole)
  }

  @Test("what a handler of the last instant schedules for now runs within the advance")
  func lastInstantIsPlayedOut() {
    let virtual = VirtualLoop()
    var log: [String] = []
    let source = Loop.UserSource { log.append("source") }
    virtual.loop.add(source, forMode: .default)
    virtual.loop.after(.seconds(1)) { _ in
      log.append("timer")
      virtual.loop.perform {
        log.append("perform")
        virtual.loop.after(.zero) { _ in
          log.append("timer again")
          source.signal()
        }
      }
    }
    virtual.advance(by: .seconds(1))
    #expect(log == ["timer", "perform", "timer again", "source"])
  }

  @Test("a stop ends an advance early, as it ends the app's run, and time stays where it was")
  func stopEndsTheAdvance() {
    let virtual = VirtualLoop()
    let start = virtual.now
    virtual.loop.schedule(every: .seconds(1)) { _ in
      if virtual.loop.wakeInstant == start + .seconds(3) { virtual.loop.stop() }
    }
    #expect(virtual.advance(by: .seconds(10)) == .stopped)
    #expect(virtual.now == start + .seconds(3))
    #expect(virtual.advance(by: .seconds(7)) == .reachedEnd)
    #expect(virtual.now == start + .seconds(10))
  }

  @Test("being blocked for an hour is one long handler, stepping an hour is each beat of it")
  func blockingIsNotStepping() {
    let virtual = VirtualLoop()
    var calls = 0
    let timer = virtual.loop.schedule(every: .seconds(60)) { _ in calls += 1 }
    virtual.advance(by: .seconds(3600))
    #expect(calls == 60)
    virtual.loop.perform { virtual.block(for: .seconds(3600)) }
    virtual.advance(by: .seconds(3600))
    #expect(calls == 61)
    #expect(timer.missedFires == 59)
  }

  @Test("a run without a limit jumps to each thing due and ends when nothing is left")
  func runJumps() {
    let virtual = VirtualLoop()
    let start = virtual.now
    virtual.loop.after(.seconds(365 * 86_400)) { _ in }
    virtual.loop.run()
    #expect(virtual.now == start + .seconds(365 * 86_400))
  }

  @Test("inside its runs the loop is the thread's current one, and outside it is not")
  func isCurrentInside() {
    let virtual = VirtualLoop()
    var isCurrent = false
    virtual.loop.perform { isCurrent = Loop.current === virtual.loop }
    virtual.advance(by: .zero)
    #expect(isCurrent)
    #expect(Loop.current !== virtual.loop)
  }

  @Test("a machine's sleep delays timers by what it slept, but not those on the continuous clock")
  func sleeping() {
    let virtual = VirtualLoop()
    let date = virtual.wallDate
    var log: [String: [Double]] = [:]
    for clock in [Loop.TimerClock.suspending, .continuous, .wall] {
      virtual.loop.schedule(every: .seconds(3600), clock: clock) { pass in
        log["\(clock)", default: []].append(pass.date.timeIntervalSince(date) / 3600)
      }
    }
    virtual.sleepMachine(for: .seconds(8 * 3600), at: virtual.now + .seconds(1800))
    virtual.advance(by: .seconds(3600))
    #expect(log == ["suspending": [9], "continuous": [8.5, 9], "wall": [8.5, 9]])
  }

  @Test("a wall clock that drifts, or is stepped, takes alarms along and leaves intervals alone")
  func driftAndStep() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let date = virtual.wallDate
    var alarms: [Duration] = []
    var beats: [Duration] = []
    virtual.setWallDrift(partsPerMillion: 500)
    virtual.loop.schedule(at: date + 2_001) { pass in
      alarms.append(start.duration(to: pass.instant))
      #expect(pass.date >= date + 2_001)
    }
    virtual.loop.schedule(at: date + 9_000) { alarms.append(start.duration(to: $0.instant)) }
    virtual.loop.schedule(every: .seconds(1_000)) { beats.append(start.duration(to: $0.instant)) }
    virtual.stepWallClock(by: .seconds(5_000), at: start + .seconds(2_500))
    virtual.advance(by: .seconds(4_500))
    #expect(alarms.first == .seconds(2_000))
    #expect(alarms.count == 2)
    // At 2,500 s the wall shows 7,501.25 s; from there 1,498.75 s of it are 1,498.0009995 s.
    #expect((alarms.last ?? .zero) - .seconds(3998) < .milliseconds(2))
    #expect(beats == (1...4).map { .seconds(1_000 * $0) })
  }

  @Test("ten years there and back change nothing for an interval timer")
  func decades() {
    let virtual = VirtualLoop()
    var calls = 0
    let timer = virtual.loop.schedule(every: .seconds(1)) { _ in calls += 1 }
    for _ in 0..<10 {
      virtual.stepWallClock(by: .seconds(315_576_000))
      virtual.advance(by: .seconds(1))
      virtual.stepWallClock(by: .seconds(-2 * 315_576_000))
      virtual.advance(by: .seconds(1))
    }
    #expect(calls == 20)
    #expect(timer.missedFires == 0)
  }

  @Test("a descriptor is ready when the script says so, until it is cleared")
  func scriptedDescriptor() throws {
    let virtual = VirtualLoop()
    let start = virtual.now
    var served: [Duration] = []
    try virtual.loop.watch(9) { _, event in
      #expect(event.contains(.readable))
      served.append(start.duration(to: virtual.loop.wakeInstant))
      virtual.clearReady(9)
    }
    virtual.setReady(9, at: start + .seconds(2))
    virtual.setReady(9, at: start + .seconds(5))
    virtual.advance(by: .seconds(10))
    #expect(served == [.seconds(2), .seconds(5)])
  }

  @Test("a script's event may post to the loop, which looks up for it")
  func scriptedPost() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let hold = virtual.loop.holdOpen()
    var served: [Loop.Instant] = []
    let source = Loop.UserSource { served.append(virtual.loop.wakeInstant) }
    virtual.loop.add(source, forMode: .default)
    virtual.script(at: start + .seconds(4)) { source.signal() }
    virtual.advance(by: .seconds(10))
    #expect(served == [start + .seconds(4)])
    hold.invalidate()
  }

  @Test("another thread's post wakes a virtual loop that has nothing else to wait for")
  func foreignPost() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let hold = virtual.loop.holdOpen()
    let remote = virtual.loop.remote
    onceWaiting(remote) { remote.perform { remote.stop() } }
    virtual.loop.run()
    #expect(virtual.now == start)
    hold.invalidate()
  }

  @Test("a hundred thousand seconds of a one-second timer are a hundred thousand calls, on the grid")
  func manySeconds() {
    // Ten million are measured in a release build.
    let virtual = VirtualLoop()
    let start = virtual.now
    var calls = 0
    var isOnGrid = true
    virtual.loop.schedule(every: .seconds(1)) { pass in
      calls += 1
      isOnGrid = isOnGrid && pass.instant.nanoseconds - start.nanoseconds == Int64(calls) * 1_000_000_000
    }
    virtual.advance(by: .seconds(100_000))
    #expect(calls == 100_000)
    #expect(isOnGrid)
  }

  @Test("negative times are refused by name")
  func refusals() async {
    await #expect(processExitsWith: .failure) { VirtualLoop().advance(by: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { VirtualLoop().block(for: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { VirtualLoop().sleepMachine(for: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { VirtualLoop().setWallDrift(partsPerMillion: .nan) }
  }

  @Test("a program that schedules for now without end is stopped with a sentence instead of hanging")
  func noProgress() async {
    await #expect(processExitsWith: .failure) {
      let virtual = VirtualLoop()
      virtual.backend.mostLooksAtOneInstant = 1_000
      func again() { virtual.loop.perform { again() } }
      again()
      virtual.advance(by: .seconds(1))
    }
  }
}
