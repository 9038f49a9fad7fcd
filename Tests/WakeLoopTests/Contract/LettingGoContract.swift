import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: what is let go may use the loop")
struct LettingGoContract {
  private enum Probe: Loop.Key { typealias Value = Token }

  @Test("A value hung on the loop may use the loop, its own place included, when it is replaced or goes")
  func values() {
    let ended = SharedLog()
    do {
      let virtual = VirtualLoop()
      for name in ["first", "second"] {
        // The loop is borrowed: what hangs on it must not keep it.
        virtual.loop[Probe.self] = Token { [unowned loop = virtual.loop] in
          ended.append("\(name), \(loop[Probe.self] == nil ? "nothing" : "another") hangs there")
          loop.after(.seconds(1)) { _ in }
          loop.remote.perform {}
        }
      }
      #expect(ended.entries == ["first, another hangs there"])
    }
    #expect(ended.entries.last == "second, nothing hangs there")
  }

  @Test(
    "What goes with the loop may add, remove, re-date, pause, post and stop; all of it is refused or harmless"
  )
  func atTheEnd() {
    let ended = SharedLog()
    do {
      let virtual = VirtualLoop()
      let other = virtual.loop.schedule(every: .seconds(1)) { _ in }
      for number in 0..<2_000 {
        let token = Token { [unowned loop = virtual.loop] in
          let refused = loop.after(.seconds(1)) { _ in }
          #expect(!refused.isValid)
          #expect(!loop.remote.perform {})
          loop.perform {}
          loop.perform(order: 3) {}
          loop.perform(inModes: [.default, .tracking]) {}
          loop.remove(other, forMode: .common)
          loop.addCommonMode(Loop.Mode("late"))
          _ = loop.contains(other, inMode: .common)
          if number < 8 { _ = loop.items }
          _ = loop.stamp
          other.isPaused = true
          other.fireDate = .distantFuture
          other.fire()
          _ = loop.holdOpen()
          loop.cancelPreviousPerforms(on: ended)
          loop.stop()
          ended.append("\(number)")
        }
        switch number % 4 {
        case 0: virtual.loop.after(.seconds(10)) { _ in token.touch() }
        case 1: virtual.loop.perform(order: number % 3) { token.touch() }
        case 2: virtual.loop.add(Loop.Observer(activities: .all) { _, _ in token.touch() }, forMode: .default)
        default: virtual.loop.add(Loop.UserSource { token.touch() }, forMode: .common)
        }
      }
    }
    #expect(Set(ended.entries).count == 2_000)
    #expect(ended.entries.count == 2_000)
  }

  @Test("What a timer carried may ask the timer when it is replaced, and when the timer ends")
  func userInfo() {
    let virtual = VirtualLoop()
    let ended = SharedLog()
    let timer = virtual.loop.schedule(every: .seconds(1)) { _ in }
    for name in ["first", "second"] {
      timer.userInfo = Token { [unowned timer] in
        ended.append("\(name), \(timer.userInfo == nil ? "nothing" : "another")")
        timer.tolerance = 0.25
        timer.invalidate()
      }
    }
    #expect(ended.entries == ["first, another", "second, nothing"])
    #expect(!timer.isValid)
  }

  @Test("What a cancelled item held may run the loop, at any depth, before the cancel returns")
  func runsFromDeinit() {
    let virtual = VirtualLoop()
    let inner = Loop.Mode("inner")
    var log: [String] = []
    var timer: Loop.Timer?
    do {
      let token = Token {
        virtual.loop.perform(inModes: [inner]) { log.append("nested") }
        virtual.loop.run(mode: inner, for: .seconds(1))
      }
      timer = virtual.loop.after(.seconds(1)) { _ in token.touch() }
    }
    virtual.loop.after(.seconds(1)) { pass in
      let stamp = pass.stamp
      timer?.invalidate()
      log.append("back")
      #expect(virtual.loop.stamp == stamp)
    }
    virtual.loop.perform { timer?.fireDate = virtual.wallDate + 1 }
    virtual.advance(by: .zero)
    timer = nil
    virtual.advance(by: .seconds(2))
    #expect(log.sorted() == ["back", "nested"])
  }
}
