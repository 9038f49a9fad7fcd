import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Frame links in the loop")
struct FrameLinkLifeTests {
  let virtual = VirtualLoop()

  @Test("frames come last in a pass, after what is due at the same instant")
  func last() {
    var log: [String] = []
    let start = virtual.now
    let third = start + .nanoseconds(50_000_000)
    virtual.loop.onEachFrame { frame in if frame.timestamp == third { log.append("frame") } }
    virtual.loop.schedule(at: third) { _ in
      log.append("timer")
      virtual.loop.perform { log.append("the next pass's perform") }
    }
    virtual.advance(by: .milliseconds(60))
    #expect(log == ["timer", "frame", "the next pass's perform"])
  }

  @Test("a link that works for an owner is given it, and ends with it")
  func owner() {
    final class Scene { var frames = 0 }
    var scene: Scene? = Scene()
    let link = virtual.loop.onEachFrame(owner: scene!) { scene, _ in scene.frames += 1 }
    virtual.advance(by: .milliseconds(101))
    #expect(scene?.frames == 6)
    scene = nil
    #expect(!link.isValid)
    #expect(virtual.loop.run(mode: .default, for: .seconds(1)) == .finished)
  }

  @Test("links on one clock are called in the same pass, whatever their rates")
  func shared() {
    var passes: [[UInt64]] = [[], []]
    let clock = FrameClock.grid(hz: 50)
    virtual.loop.onEachFrame(of: clock) { passes[0].append($0.stamp.iteration) }
    virtual.advance(by: .milliseconds(33))
    let slow = virtual.loop.onEachFrame(of: clock) { passes[1].append($0.stamp.iteration) }
    slow.preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: 25)
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(1))
    #expect(passes[1].count == 25)
    #expect(Set(passes[1]).isSubset(of: passes[0]))
    // One wake-up a refresh, and those of the advance itself.
    #expect(virtual.loop.iteration - before <= 50 + 4)
  }

  @Test("a link in several modes is called once a frame, and goes on in the one that is left")
  func modes() {
    let other = Loop.Mode("other")
    var count = 0
    let link = FrameLink { _ in count += 1 }
    for mode in [Loop.Mode.common, .default, other] { link.add(to: virtual.loop, forMode: mode) }
    virtual.advance(by: .seconds(1))
    #expect(count == 60)
    link.remove(from: virtual.loop, forMode: .common)
    link.remove(from: virtual.loop, forMode: .default)
    virtual.advance(by: .seconds(1))
    #expect(count == 60)
    virtual.advance(by: .seconds(1), mode: other)
    #expect(count == 121 || count == 120)
    link.remove(from: virtual.loop, forMode: other)
    #expect(link.isValid)
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(1), mode: other)
    #expect(virtual.loop.iteration - before <= 2)
  }

  @Test("a link that an earlier one of the same pass ends, pauses or removes is not called any more")
  func endedInItsPass() {
    for end in [
      { $0.invalidate() }, { $0.isPaused = true },
      { [virtual] in $0.remove(from: virtual.loop, forMode: .common) },
    ] as [(FrameLink) -> Void] {
      var calls = 0
      var second: FrameLink?
      let first = virtual.loop.onEachFrame { _ in if let second { end(second) } }
      second = virtual.loop.onEachFrame { _ in calls += 1 }
      virtual.advance(by: .milliseconds(100))
      #expect(calls == 0)
      first.invalidate()
      second?.invalidate()
    }
  }

  @Test("a link ends with its target, which it does not keep alive, and lets go of its handler")
  func weakTarget() {
    final class Owner { var frames = 0 }
    var owner: Owner? = Owner()
    weak let held = owner
    let link = FrameLink(target: owner!) { (owner: Owner, _: Frame) in owner.frames += 1 }
    link.add(to: virtual.loop, forMode: .common)
    virtual.advance(by: .milliseconds(100))
    #expect(owner?.frames == 6)
    owner = nil
    #expect(held == nil)
    #expect(!link.isValid)
    virtual.advance(by: .milliseconds(100))
    #expect(virtual.loop.items.isEmpty)
  }

  @Test("invalidating lets go of the handler at once, also from inside it")
  func released() {
    final class Token {}
    weak var token: Token?
    do {
      let made = Token()
      token = made
      virtual.loop.onEachFrame { frame in
        _ = made
        frame.link.invalidate()
      }
    }
    #expect(token != nil)
    virtual.advance(by: .milliseconds(20))
    #expect(token == nil)
  }

  @Test("a nested run in a handler does not call it again; the outer link goes on afterwards")
  func nested() {
    var depth = 0
    var deepest = 0
    var others = 0
    var count = 0
    virtual.loop.onEachFrame { _ in
      count += 1
      depth += 1
      deepest = max(deepest, depth)
      if count == 2 { virtual.loop.run(mode: .tracking, for: .milliseconds(100)) }
      depth -= 1
    }
    virtual.loop.onEachFrame { _ in others += 1 }
    virtual.advance(by: .milliseconds(201))
    #expect(deepest == 1)
    #expect(others == 12)
    #expect(count == 7 || count == 6)
  }

  @Test("a link on demand draws one frame a request and makes no wake-ups between")
  func onDemand() {
    var frames: [Frame] = []
    let link = FrameLink { frame in
      frames.append(frame)
      if frames.count == 2 { frame.link.requestFrame() }
    }
    link.isOnDemand = true
    link.add(to: virtual.loop, forMode: .common)
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(1000))
    #expect(frames.isEmpty)
    #expect(virtual.loop.iteration - before <= 2)
    for _ in 0..<5 { link.requestFrame() }
    virtual.advance(by: .seconds(1000))
    #expect(frames.count == 1)
    #expect(frames[0].startsAnew)
    link.requestFrame()
    let second = virtual.loop.iteration
    virtual.advance(by: .seconds(1000))
    #expect(frames.count == 3)
    #expect(!frames[2].startsAnew)
    #expect(frames[2].timestamp == frames[1].target)
    #expect(frames.allSatisfy { $0.missed == 0 })
    #expect(virtual.loop.iteration - second <= 5)
    link.isOnDemand = false
    virtual.advance(by: .milliseconds(100))
    #expect(frames.count == 9)
  }

  @Test("two requests within one refresh never give two frames in it")
  func onDemandOnceARefresh() {
    var frames: [Frame] = []
    let link = FrameLink { frames.append($0) }
    link.isOnDemand = true
    link.add(to: virtual.loop, forMode: .common)
    virtual.loop.schedule(every: .milliseconds(3)) { _ in link.requestFrame() }
    virtual.advance(by: .seconds(2))
    #expect(frames.count > 115)
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.target <= $1.timestamp })
  }

  @Test("a precise link sees a stamp that is at its refresh, and wakes for it once")
  func precise() {
    var frames: [Frame] = []
    let link = FrameLink { frames.append($0) }
    link.pacing = .precise(spin: .microseconds(200))
    link.add(to: virtual.loop, forMode: .common)
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(1))
    #expect(frames.count == 60)
    #expect(frames.allSatisfy { $0.late == .zero })
    #expect(virtual.loop.iteration - before <= 63)
  }

  @Test("a link keeps its loop alive, paused or not")
  func keepsAlive() {
    let link = virtual.loop.onEachFrame { _ in }
    link.isPaused = true
    #expect(virtual.loop.run(mode: .default, for: .milliseconds(1)) == .timedOut)
    link.invalidate()
    #expect(virtual.loop.run(mode: .default, for: .milliseconds(1)) == .finished)
  }
}
