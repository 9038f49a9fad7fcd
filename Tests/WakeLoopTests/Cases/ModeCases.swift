import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: modes")
struct ModeCases {
  @Test("Case 9: a default-mode timer waits while the loop tracks, and on return fires once")
  func defaultWaits() {
    let virtual = VirtualLoop()
    var fired: [Loop.Mode?] = []
    virtual.loop.after(.seconds(1), in: .default) { _ in fired.append(virtual.loop.currentMode) }
    virtual.advance(by: .seconds(5), mode: .tracking)
    #expect(fired.isEmpty)
    virtual.advance(by: .seconds(5))
    #expect(fired == [.default])
  }

  @Test("Case 9: a common timer fires in every mode of the set, also in one that joins later")
  func commonFires() {
    let virtual = VirtualLoop()
    let mine = Loop.Mode("mine")
    var fired: [Loop.Mode?] = []
    virtual.loop.schedule(every: .seconds(1), in: .common) { _ in fired.append(virtual.loop.currentMode) }
    virtual.advance(by: .seconds(1))
    virtual.advance(by: .seconds(1), mode: .tracking)
    virtual.advance(by: .seconds(1), mode: mine)
    #expect(fired == [.default, .tracking])
    virtual.loop.addCommonMode(mine)
    virtual.advance(by: .seconds(1), mode: mine)
    #expect(fired.last == mine)
  }

  @Test("Case 10: a mode named by an equal string made elsewhere is the same mode")
  func equalNames() {
    let virtual = VirtualLoop()
    let letters = ["m", "i", "n", "e"]
    var fired = 0
    virtual.loop.after(.seconds(1), in: Loop.Mode("mine")) { _ in fired += 1 }
    virtual.advance(by: .seconds(1), mode: Loop.Mode(rawValue: letters.joined()))
    #expect(fired == 1)
    #expect(Loop.Mode("kCFRunLoopDefaultMode") == .default)
    #expect(Loop.Mode("kCFRunLoopCommonModes") == .common)
  }

  @Test("Case 11: a timer removed from one of its modes goes on in the others")
  func removedFromOne() {
    let virtual = VirtualLoop()
    let other = Loop.Mode("other")
    var fired: [Loop.Mode?] = []
    let timer = virtual.loop.schedule(every: .seconds(1), in: .default) { _ in
      fired.append(virtual.loop.currentMode)
    }
    virtual.loop.add(timer, forMode: other)
    virtual.advance(by: .seconds(1), mode: other)
    virtual.loop.remove(timer, forMode: .default)
    virtual.advance(by: .seconds(1))
    virtual.advance(by: .seconds(1), mode: other)
    // The beat that passed while the loop ran in the default mode is told late, and then the next.
    #expect(fired.compactMap { $0 } == [other, other, other])
    #expect(timer.isValid)
    virtual.loop.remove(timer, forMode: other)
    #expect(timer.isValid, "removed from its last mode an item stays valid")
  }

  @Test("Case 12: the deadline of a nested run that has ended neither fires nor wakes the outer run")
  func nestedDeadlineGoes() {
    let virtual = VirtualLoop()
    let inner = Loop.Mode("inner")
    var wakes: [Double] = []
    let start = virtual.now
    virtual.loop.add(
      Loop.Observer(activities: .afterWaiting) { _, _ in
        wakes.append(start.duration(to: virtual.loop.wakeInstant) / .seconds(1))
      }, forMode: .default)
    var strays = 0
    virtual.loop.after(.seconds(1)) { _ in
      virtual.loop.after(.seconds(1), in: inner) { _ in virtual.loop.stop() }
      virtual.loop.after(.seconds(40), in: inner) { _ in strays += 1 }
      #expect(virtual.loop.run(mode: inner, for: .seconds(100)) == .stopped)
    }
    virtual.loop.after(.seconds(200)) { _ in }
    #expect(virtual.loop.run(mode: .default, for: .seconds(300)) == .finished)
    #expect(wakes == [1, 200])
    #expect(strays == 0)
  }

  @Test("Case 13: a descriptor ready in the outer mode only is left alone by a nested run, without a spin")
  func readyInOuterOnly() throws {
    let virtual = VirtualLoop()
    let inner = Loop.Mode("inner")
    var log: [String] = []
    try virtual.loop.watch(5, in: .default) { source, _ in
      log.append("served in \(virtual.loop.currentMode?.rawValue ?? "none")")
      virtual.clearReady(5)
      source.invalidate()
    }
    virtual.loop.after(.seconds(1), in: .default) { _ in
      virtual.setReady(5)
      virtual.loop.after(.seconds(3), in: inner) { _ in log.append("inner timer") }
      let before = virtual.loop.iteration
      #expect(virtual.loop.run(mode: inner, for: .seconds(10)) == .finished)
      #expect(virtual.loop.iteration == before)
      log.append("back")
    }
    virtual.advance(by: .seconds(20))
    #expect(log == ["inner timer", "back", "served in kCFRunLoopDefaultMode"])
  }
}
