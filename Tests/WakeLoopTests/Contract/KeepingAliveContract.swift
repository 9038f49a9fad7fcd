import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: what keeps a run alive")
struct KeepingAliveContract {
  private final class Owner {}

  @Test("Toggling keepsLoopAlive of a timer with an owner leaves the count of the others right")
  func toggledWithOwner() {
    let virtual = VirtualLoop()
    let owner = Owner()
    let owned = virtual.loop.schedule(every: .seconds(1), owner: owner, in: .default) { _, _ in }
    owned.keepsLoopAlive = false
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
    owned.invalidate()
    let strong = virtual.loop.schedule(every: .seconds(1), in: .default) { _ in }
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .timedOut)
    strong.keepsLoopAlive = false
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
    let again = virtual.loop.schedule(every: .seconds(1), owner: owner, in: .default) { _, _ in }
    again.keepsLoopAlive = false
    again.keepsLoopAlive = true
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .timedOut)
    again.invalidate()
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
    withExtendedLifetime(owner) {}
  }

  @Test("keepsLoopAlive cleared in a handler finishes the run after that pass; set again, it goes on")
  func toggledWhileRunning() {
    let virtual = VirtualLoop()
    var calls = 0
    let timer = virtual.loop.schedule(every: .seconds(1)) { pass in
      calls += 1
      if calls == 3 { pass.timer.keepsLoopAlive = false }
    }
    #expect(virtual.loop.run(mode: .default, for: .seconds(60)) == .finished)
    #expect(calls == 3)
    timer.keepsLoopAlive = true
    #expect(virtual.loop.run(mode: .default, for: .seconds(60)) == .timedOut)
    #expect(calls == 63)
  }

  @Test("limitDate tells of no timer whose target has died, however many of them there are")
  func limitDateOfDead() {
    let virtual = VirtualLoop()
    var owner: Owner? = Owner()
    for _ in 0..<50 { virtual.loop.after(.seconds(5), owner: owner!) { _, _ in } }
    let far = virtual.wallDate + 60
    virtual.loop.schedule(at: virtual.now + .seconds(60)) { _ in }
    owner = nil
    #expect(virtual.loop.limitDate(forMode: .default) == far)
  }
}
