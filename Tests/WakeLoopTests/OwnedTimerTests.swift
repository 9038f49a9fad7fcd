import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Timers that end with their owner")
struct OwnedTimerTests {
  private final class Owner {
    var calls = 0
  }

  enum Way: CaseIterable {
    case delay, instant, date
  }

  /// Has the owner called in ten seconds.
  private func schedule(_ way: Way, on virtual: VirtualLoop, for owner: Owner) -> Loop.Timer {
    let body: (Owner, Loop.Pass) -> Void = { owner, _ in owner.calls += 1 }
    return switch way {
    case .delay: virtual.loop.after(.seconds(10), owner: owner, body)
    case .instant: virtual.loop.schedule(at: virtual.now + .seconds(10), owner: owner, body)
    case .date: virtual.loop.schedule(at: virtual.wallDate.addingTimeInterval(10), owner: owner, body)
    }
  }

  @Test("one that lives is given to the closure, once and not early", arguments: Way.allCases)
  func lives(way: Way) {
    let virtual = VirtualLoop()
    let owner = Owner()
    let timer = schedule(way, on: virtual, for: owner)
    virtual.advance(by: .milliseconds(9_999))
    #expect(owner.calls == 0)
    virtual.advance(by: .seconds(60))
    #expect(owner.calls == 1)
    #expect(!timer.isValid)
  }

  @Test("one that has gone ends the timer, which keeps no run alive", arguments: Way.allCases)
  func dies(way: Way) {
    let virtual = VirtualLoop()
    var owner: Owner? = Owner()
    weak let witness = owner
    let timer = schedule(way, on: virtual, for: owner!)
    owner = nil
    #expect(witness == nil)
    #expect(!timer.isValid)
    #expect(virtual.loop.run(mode: .default, for: .seconds(60)) == .finished)
  }

  @Test("an alarm with an owner follows the wall clock as one without does")
  func followsWall() {
    let virtual = VirtualLoop()
    let owner = Owner()
    let date = virtual.wallDate.addingTimeInterval(3600)
    let alarm = virtual.loop.schedule(at: date, owner: owner) { owner, _ in owner.calls += 1 }
    #expect(alarm.fireDate == date)
    virtual.stepWallClock(by: .seconds(3600))
    virtual.advance(by: .zero)
    #expect(owner.calls == 1)
  }
}
