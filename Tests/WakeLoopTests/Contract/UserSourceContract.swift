import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: user sources")
struct UserSourceContract {
  private static let other = Loop.Mode("other")

  @Test(
    "A run nested in an earlier handler serves a signalled source that the outer pass has collected, once")
  func nestedServes() {
    let virtual = VirtualLoop()
    var log: [String] = []
    let source = Loop.UserSource { log.append("source at depth \(virtual.loop.currentMode!)") }
    virtual.loop.add(source, forMode: .default)
    virtual.loop.after(.zero, in: .default) { _ in
      log.append("\(virtual.loop.run(mode: .default, for: .seconds(5), returnAfterSourceHandled: true))")
    }
    source.signal()
    virtual.loop.run(mode: .default, for: .zero)
    #expect(log == ["source at depth kCFRunLoopDefaultMode", "handledSource"])
  }

  @Test("A source signalled again inside a run that is nested before its turn is served there")
  func signalledInNestedRun() {
    let virtual = VirtualLoop()
    var served = 0
    let source = Loop.UserSource { served += 1 }
    virtual.loop.add(source, forMode: .common)
    virtual.loop.after(.zero) { _ in
      virtual.loop.after(.seconds(1), in: .tracking) { _ in source.signal() }
      virtual.loop.run(mode: .tracking, for: .seconds(3))
      #expect(served > 0)
    }
    source.signal()
    virtual.advance(by: .seconds(10))
    #expect(served == 2)
  }

  @Test("A signalled source taken out of the running mode before its turn is served in its other mode")
  func leftWhileCollected() {
    let virtual = VirtualLoop()
    var served: [String] = []
    let source = Loop.UserSource(order: 1) { served.append(virtual.loop.currentMode!.rawValue) }
    let first = Loop.UserSource { virtual.loop.remove(source, forMode: .default) }
    virtual.loop.add(source, forMode: .default)
    virtual.loop.add(source, forMode: Self.other)
    virtual.loop.add(first, forMode: .default)
    source.signal()
    first.signal()
    virtual.advance(by: .zero)
    #expect(served.isEmpty)
    virtual.advance(by: .zero, mode: Self.other)
    #expect(served == ["other"])
  }

  @Test("A signalled source that moves to another loop is served there")
  func movedToAnotherLoop() {
    let one = VirtualLoop()
    let two = VirtualLoop()
    var served = 0
    let source = Loop.UserSource { served += 1 }
    one.loop.add(source, forMode: .default)
    source.isPaused = true
    source.signal()
    one.advance(by: .seconds(1))
    one.loop.remove(source, forMode: .default)
    two.loop.add(source, forMode: .default)
    source.isPaused = false
    two.advance(by: .seconds(1))
    #expect(served == 1)
  }

  @Test("A source removed and dropped by an earlier handler of its pass may run the loop from what it held")
  func droppedWhileCollected() {
    let virtual = VirtualLoop()
    var log: [String] = []
    var victim: Loop.UserSource?
    let killer = Loop.UserSource(order: -1) {
      virtual.loop.remove(victim!, forMode: .default)
      victim = nil
      log.append("dropped")
    }
    let last = Loop.UserSource(order: 1) { log.append("last") }
    do {
      let token = Token {
        virtual.loop.perform(inModes: [Self.other]) { log.append("nested") }
        virtual.loop.run(mode: Self.other, for: .zero)
      }
      victim = Loop.UserSource { token.touch() }
    }
    for source in [killer, victim!, last] {
      virtual.loop.add(source, forMode: .default)
      source.signal()
    }
    virtual.advance(by: .seconds(1))
    #expect(Set(log) == ["dropped", "nested", "last"] && log.count == 3)
  }
}
