import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: letting go")
struct LettingGoCases {
  /// A target that is dropped by its owner; its end is counted.
  private final class Owner {
    let ended: SharedLog
    var ticks = 0
    init(_ ended: SharedLog) { self.ended = ended }
    deinit { ended.append("owner") }
    func tick(_ timer: Loop.Timer) { ticks += 1 }
  }

  @Test("Case 28: a target that its owner drops goes at once, and its timer ends though it never fires again")
  func targetGoes() {
    let virtual = VirtualLoop()
    let ended = SharedLog()
    var owner: Owner? = Owner(ended)
    let timer = within(virtual) { [target = owner!] in
      Loop.Timer.scheduledTimer(
        timeInterval: 1, target: target, action: Owner.tick, userInfo: nil, repeats: true)
    }
    virtual.advance(by: .seconds(3))
    #expect(owner?.ticks == 3)
    owner = nil
    #expect(ended.entries == ["owner"])
    #expect(!timer.isValid)
    #expect(virtual.loop.limitDate(forMode: .default) == nil)
    #expect(virtual.loop.run(mode: .default, for: .seconds(10)) == .finished)
  }

  @Test("Case 28: a timer that has never fired and whose owner is gone keeps no run alive")
  func ownerGoesBeforeFirstFire() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let ended = SharedLog()
    var owner: Owner? = Owner(ended)
    var fired = 0
    let timer = virtual.loop.after(.seconds(3600), owner: owner!) { _, _ in fired += 1 }
    let repeating = virtual.loop.schedule(every: .seconds(3600), owner: owner!) { _, _ in fired += 1 }
    owner = nil
    #expect(ended.entries == ["owner"])
    #expect(!timer.isValid && !repeating.isValid)
    #expect(virtual.loop.run(mode: .default, for: .seconds(7200)) == .finished)
    #expect(virtual.now == start)
    #expect(fired == 0)
  }

  @Test(
    "a timer paused and resumed any number of times, cancelled or dropped in any state, lets go of its closure"
  )
  func anyOrder() {
    let orders: [(String, (Loop.Timer) -> Void)] = [
      (
        "paused twice, resumed once, cancelled",
        { timer in
          timer.isPaused = true
          timer.isPaused = true
          timer.isPaused = false
          timer.invalidate()
        }
      ),
      (
        "resumed without a pause, cancelled",
        { timer in
          timer.isPaused = false
          timer.invalidate()
        }
      ),
      (
        "cancelled while paused",
        { timer in
          timer.isPaused = true
          timer.invalidate()
        }
      ),
      (
        "cancelled twice, then resumed",
        { timer in
          timer.isPaused = true
          timer.invalidate()
          timer.invalidate()
          timer.isPaused = false
        }
      ),
      ("paused and dropped, its loop gone", { timer in timer.isPaused = true }),
      ("dropped, its loop gone", { _ in }),
    ]
    for (name, play) in orders {
      for repeats in [false, true] {
        let ended = SharedLog()
        do {
          let virtual = VirtualLoop()
          do {
            let token = Token { ended.append(name) }
            play(
              repeats
                ? virtual.loop.schedule(every: .seconds(9)) { _ in token.touch() }
                : virtual.loop.after(.seconds(9)) { _ in token.touch() })
          }
          virtual.advance(by: .seconds(1))
        }
        #expect(ended.entries == [name], "repeats: \(repeats)")
      }
    }
  }

  @Test("what waits in a loop whose thread ends is let go with it, and a target outlives it")
  func threadEnds() {
    let ended = SharedLog()
    SourceThread { loop in
      let owner = Owner(ended)
      for (name, repeats) in [("once", false), ("beat", true)] {
        let token = Token { ended.append(name) }
        let timer = Loop.Timer(timeInterval: 3600, repeats: repeats) { _ in token.touch() }
        loop.add(timer, forMode: .common)
      }
      loop.schedule(every: .seconds(3600), owner: owner) { _, _ in }
      withExtendedLifetime(owner) {}
    }.join()
    #expect(ended.entries.sorted() == ["beat", "once", "owner"])
  }

  @Test("Case 29: the closure of a cancelled timer is released by the cancel, also of the earliest one")
  func cancelledReleases() {
    let virtual = VirtualLoop()
    let ended = SharedLog()
    var timers: [Loop.Timer] = []
    for name in ["first", "second"] {
      let token = Token { ended.append(name) }
      timers.append(virtual.loop.after(.seconds(3600)) { _ in token.touch() })
    }
    virtual.advance(by: .seconds(1))
    #expect(ended.entries.isEmpty)
    timers[0].invalidate()
    #expect(ended.entries == ["first"])
    timers[1].invalidate()
    #expect(ended.entries == ["first", "second"])
    #expect(virtual.loop.run(mode: .default, for: .seconds(1)) == .finished)
  }

  @Test("Case 29: a one-shot's closure is released when it has fired, though its handle is kept")
  func firedReleases() {
    let virtual = VirtualLoop()
    let ended = SharedLog()
    let timer: Loop.Timer
    do {
      let token = Token { ended.append("token") }
      timer = virtual.loop.after(.seconds(1)) { _ in token.touch() }
    }
    virtual.advance(by: .seconds(1))
    #expect(ended.entries == ["token"])
    #expect(!timer.isValid)
  }

  @Test("Case 29: a timer cancelled inside its own handler lives to the handler's end")
  func cancelledInside() {
    let virtual = VirtualLoop()
    let ended = SharedLog()
    do {
      let token = Token { ended.append("token") }
      virtual.loop.schedule(every: .seconds(1)) { pass in
        pass.timer.invalidate()
        ended.append("after the cancel")
        token.touch()
      }
    }
    virtual.advance(by: .seconds(5))
    #expect(ended.entries == ["after the cancel", "token"])
  }

  @Test("Case 29: a timer cancelled from another thread lets go in the pass that the cancel wakes")
  func cancelledElsewhere() async {
    let ended = SharedLog()
    let entries = await LoopThreadForTests.run { loop in
      let timer: Loop.Timer
      do {
        let token = Token { ended.append("token") }
        timer = loop.after(.seconds(3600)) { _ in token.touch() }
      }
      let hold = loop.holdOpen()
      let remote = loop.remote
      onceWaiting(remote) { timer.invalidate() }
      // The cancel wakes the loop; the observer sees what its pass has let go.
      loop.add(
        Loop.Observer(activities: .beforeWaiting) { _, _ in
          if !ended.entries.isEmpty { loop.stop() }
        }, forMode: .default)
      ended.append("\(loop.run(mode: .default, for: .seconds(60)))")
      hold.invalidate()
      return ended.entries
    }
    #expect(entries == ["token", "stopped"])
  }

  @Test(
    "Case 30: timers never scheduled, paused and dropped, cancelled twice or asked after their end are ordinary"
  )
  func ordinary() {
    let virtual = VirtualLoop()
    let ended = SharedLog()
    do {
      let token = Token { ended.append("never scheduled") }
      _ = Loop.Timer(timeInterval: 1, repeats: true) { _ in token.touch() }
    }
    #expect(ended.entries == ["never scheduled"])
    do {
      let token = Token { ended.append("paused and cancelled") }
      let timer = virtual.loop.schedule(every: .seconds(1)) { _ in token.touch() }
      timer.suspend()
      timer.invalidate()
      timer.invalidate()
      timer.resume()
      #expect(!timer.isValid)
      _ = timer.fireDate
      timer.fireDate = virtual.wallDate
      timer.fire()
    }
    #expect(ended.entries == ["never scheduled", "paused and cancelled"])
    do {
      let token = Token { ended.append("paused and dropped") }
      let timer = Loop.Timer(timeInterval: 1, repeats: true) { _ in token.touch() }
      timer.suspend()
    }
    #expect(ended.entries.last == "paused and dropped")
    virtual.advance(by: .seconds(10))
    #expect(ended.entries.count == 3)
  }

  @Test("Case 30: a scheduled timer whose handle is dropped goes on; paused, it stays until the loop goes")
  func handleDropped() {
    let ended = SharedLog()
    var calls = 0
    do {
      let virtual = VirtualLoop()
      let token = Token { ended.append("loop's") }
      _ = virtual.loop.schedule(every: .seconds(1)) { _ in calls += 1 }
      _ = virtual.loop.schedule(every: .seconds(1)) { _ in token.touch() }.isPaused = true
      virtual.advance(by: .seconds(3))
      #expect(calls == 3)
      #expect(ended.entries.isEmpty)
    }
    #expect(ended.entries == ["loop's"])
  }

  @Test(
    "Case 31: pausing twice and resuming twice is as pausing and resuming once; beats meanwhile are missed")
  func pausingIsNotCounted() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired: [Loop.Instant] = []
    let timer = virtual.loop.schedule(every: .seconds(1)) { fired.append($0.instant) }
    timer.isPaused = true
    timer.suspend()
    virtual.advance(by: .milliseconds(2500))
    #expect(fired.isEmpty)
    timer.isPaused = false
    timer.resume()
    virtual.advance(by: .milliseconds(500))
    #expect(fired == [start + .seconds(3)])
    #expect(timer.missedFires == 2)
  }

  @Test("Case 31: a one-shot whose date passed while paused fires in the pass after resuming")
  func oneShotResumed() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired: [Loop.Instant] = []
    let timer = virtual.loop.after(.seconds(1)) { fired.append($0.instant) }
    timer.isPaused = true
    virtual.advance(by: .seconds(5))
    timer.isPaused = false
    virtual.advance(by: .seconds(5))
    #expect(fired == [start + .seconds(5)])
  }
}
