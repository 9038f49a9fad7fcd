import Testing
import WakeLoop
import WakeLoopTesting

@Suite("What a countdown holds, and how long")
struct CountdownLifeTests {
  @Test("dropped while it runs it goes on to its end, then all of it goes")
  func dropped() {
    let virtual = VirtualLoop()
    var finishes = 0
    weak var held: Witness?
    weak var countdown: Countdown?
    do {
      let witness = Witness()
      held = witness
      let made = Countdown(.seconds(2), on: virtual.loop) { _ in
        _ = witness
      } onFinish: {
        finishes += 1
      }
      made.start()
      countdown = made
    }
    virtual.advance(by: .seconds(1))
    #expect(held != nil && countdown != nil)
    virtual.loop.run()
    #expect(finishes == 1)
    #expect(held == nil && countdown == nil)
    #expect(virtual.loop.items.isEmpty)
  }

  @Test("cancelled and dropped, paused and dropped, never started: all of it goes")
  func ended() {
    let virtual = VirtualLoop()
    for act in [
      { $0.cancel() },
      {
        $0.pause(); $0.cancel()
      }, { _ in },
    ] as [(Countdown) -> Void] {
      weak var held: Witness?
      do {
        let witness = Witness()
        held = witness
        let countdown = Countdown(.seconds(2), on: virtual.loop) { _ in _ = witness }
        if virtual.loop.items.isEmpty { countdown.start() }
        act(countdown)
        countdown.cancel()
      }
      #expect(held == nil)
    }
  }

  @Test("an owner is not kept alive, and its death ends the countdown")
  func owner() {
    let virtual = VirtualLoop()
    var ticks = 0
    var finishes = 0
    weak var held: Witness?
    var countdown: Countdown?
    do {
      let owner = Witness()
      held = owner
      countdown = Countdown(.seconds(60), owner: owner, on: virtual.loop) { _, _ in
        ticks += 1
      } onFinish: { _ in
        finishes += 1
      }
      countdown?.start()
      virtual.advance(by: .seconds(2))
      #expect(countdown?.state == .running)
    }
    #expect(held == nil)
    #expect(countdown?.state == .cancelled)
    virtual.loop.run()
    #expect(ticks == 3 && finishes == 0)
    #expect(virtual.loop.items.isEmpty)
  }

  @Test("a loop that goes takes its countdowns along")
  func loopGone() {
    weak var held: Witness?
    do {
      let virtual = VirtualLoop()
      let witness = Witness()
      held = witness
      Countdown(.seconds(2), on: virtual.loop) { _ in _ = witness }.start()
    }
    #expect(held == nil)
  }

  @Test("it may be cancelled from another thread, which lets go of it by the pass that this wakes")
  func otherThread() throws {
    weak var held: Witness?
    let loop = Loop.current
    let thread = try LoopThread(name: "canceller")
    do {
      let witness = Witness()
      held = witness
      let countdown = Countdown(.seconds(3600), clock: .suspending, on: loop) { _ in _ = witness }
      countdown.start()
      loop.after(.milliseconds(10)) { _ in
        thread.remote.perform { countdown.cancel() }
      }
    }
    // Ends as soon as nothing is left, long before the hour is over.
    loop.run()
    // The other thread's block holds the countdown too.
    thread.stop()
    thread.join()
    #expect(held == nil)
  }
}
