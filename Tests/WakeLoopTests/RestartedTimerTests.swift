import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Restarted timers")
struct RestartedTimerTests {
  let virtual = VirtualLoop()

  @Test("one that is restarted by everything that comes fires once all has been quiet for its delay")
  func quiet() {
    var fired: [Loop.Instant] = []
    let start = virtual.now
    let timer = virtual.loop.after(.seconds(5)) { fired.append($0.instant) }
    let beat = virtual.loop.schedule(every: .seconds(2)) { _ in timer.restart(after: .seconds(5)) }
    virtual.loop.after(.seconds(60)) { _ in beat.invalidate() }
    virtual.advance(by: .seconds(120))
    #expect(fired == [start + .seconds(65)])
  }

  @Test("the grid of a repeating one begins anew, in its own handler too, and its date is read anew")
  func grid() {
    var fired: [Loop.Instant] = []
    let start = virtual.now
    let timer = virtual.loop.schedule(every: .seconds(10)) { pass in
      fired.append(pass.instant)
      if fired.count == 2 { pass.timer.restart(after: .seconds(1)) }
    }
    _ = timer.fireDate
    timer.restart(after: .seconds(3))
    #expect(timer.fireDate == virtual.wallDate.addingTimeInterval(3))
    virtual.advance(by: .seconds(30))
    #expect(fired == [3, 13, 14, 24].map { start + .seconds($0) })
    #expect(timer.missedFires == 0)
  }

  @Test("the delay is one of the timer's own clock", arguments: [Loop.TimerClock.continuous, .wall])
  func clock(clock: Loop.TimerClock) {
    var count = 0
    let timer = virtual.loop.schedule(every: .seconds(3600), clock: clock) { _ in count += 1 }
    timer.restart(after: .seconds(60))
    virtual.sleepMachine(for: .seconds(59))
    virtual.advance(by: .milliseconds(999))
    #expect(count == 0)
    virtual.advance(by: .milliseconds(1))
    #expect(count == 1)
  }

  @Test("a negative delay is the next pass, and one beyond all range is never")
  func odd() {
    var count = 0
    let timer = virtual.loop.after(.seconds(5)) { _ in count += 1 }
    timer.restart(after: .seconds(Int64.max))
    virtual.advance(by: .seconds(1_000_000))
    #expect(count == 0)
    timer.restart(after: .seconds(-1))
    virtual.advance(by: .zero)
    #expect(count == 1)
    timer.restart(after: .zero)
    virtual.advance(by: .seconds(10))
    #expect(count == 1)
  }

  @Test("a paused one is due after it is resumed, at what it was restarted to")
  func paused() {
    var count = 0
    let timer = virtual.loop.schedule(every: .seconds(10)) { _ in count += 1 }
    timer.isPaused = true
    virtual.advance(by: .seconds(100))
    timer.restart(after: .seconds(2))
    timer.isPaused = false
    virtual.advance(by: .seconds(1))
    #expect(count == 0)
    virtual.advance(by: .seconds(1))
    #expect(count == 1)
    #expect(timer.missedFires == 0)
  }

  @Test("one that is in no loop yet keeps what it was restarted to when it is added")
  func notAdded() {
    var fired: [Loop.Instant] = []
    let start = virtual.now
    let timer = within(virtual) {
      Loop.Timer(timeInterval: 100, repeats: false) { _ in fired.append(virtual.loop.wakeInstant) }
    }
    within(virtual) { timer.restart(after: .seconds(1)) }
    virtual.loop.add(timer, forMode: .common)
    virtual.advance(by: .seconds(200))
    #expect(fired == [start + .seconds(1)])
  }
}
