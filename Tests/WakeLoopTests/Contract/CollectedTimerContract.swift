import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: what a pass has collected")
struct CollectedTimerContract {
  private static let other = Loop.Mode("other")

  /// Two timers due in one pass, the first of which does something to the second; returns the passes in which the
  /// second was called, counted from the first's.
  private func passes(
    in mode: Loop.Mode = .default, advancing time: Duration = .seconds(5),
    _ change: @escaping (VirtualLoop, Loop.Timer) -> Void
  ) -> [UInt64] {
    let virtual = VirtualLoop()
    var first: UInt64 = 0
    var called: [UInt64] = []
    var second: Loop.Timer?
    let due = virtual.now + .seconds(1)
    virtual.loop.schedule(at: due, in: .default) { pass in
      first = pass.iteration
      if let second { change(virtual, second) }
      virtual.loop.stop()
    }
    second = virtual.loop.schedule(every: .seconds(100), startingAt: due, in: mode) {
      called.append($0.iteration - first)
    }
    let hold = virtual.loop.holdOpen()
    virtual.loop.run(mode: .default, for: time)
    hold.invalidate()
    return called
  }

  @Test("A collected timer that a handler adds to another mode is called in this pass all the same")
  func addedElsewhere() {
    #expect(passes { virtual, timer in virtual.loop.add(timer, forMode: Self.other) } == [0])
    #expect(passes { virtual, timer in virtual.loop.add(timer, forMode: .common) } == [0])
  }

  @Test("A timer added to another mode while collected acts in both from then on")
  func actsInBoth() {
    let virtual = VirtualLoop()
    var called: [String] = []
    var second: Loop.Timer?
    let due = virtual.now + .seconds(1)
    virtual.loop.schedule(at: due, in: .default) { _ in
      if let second { virtual.loop.add(second, forMode: Self.other) }
    }
    second = virtual.loop.schedule(every: .seconds(10), startingAt: due, in: .default) { _ in
      called.append(virtual.loop.currentMode?.rawValue ?? "none")
    }
    virtual.advance(by: .seconds(2))
    virtual.advance(by: .seconds(10), mode: Self.other)
    virtual.advance(by: .seconds(10))
    #expect(
      called == [Loop.Mode.default.rawValue, Self.other.rawValue, Loop.Mode.default.rawValue])
  }

  @Test("A timer that a handler adds to the nested run's mode after the nested run's start acts in it")
  func addedInNestedRun() {
    let virtual = VirtualLoop()
    var called: [String] = []
    var second: Loop.Timer?
    let due = virtual.now + .seconds(1)
    virtual.loop.schedule(at: due, in: .default) { _ in
      virtual.loop.after(.zero, in: Self.other) { _ in
        if let second { virtual.loop.add(second, forMode: Self.other) }
      }
      virtual.loop.run(mode: Self.other, for: .seconds(1))
    }
    second = virtual.loop.schedule(every: .seconds(10), startingAt: due, in: .default) { _ in
      called.append(virtual.loop.currentMode?.rawValue ?? "none")
    }
    virtual.advance(by: .seconds(5))
    #expect(called == [Self.other.rawValue])
  }

  @Test("A collected timer taken out of one of its modes is called if it still is in a mode of the run")
  func leftOneMode() {
    let stays = passes { virtual, timer in
      virtual.loop.add(timer, forMode: .common)
      virtual.loop.remove(timer, forMode: .default)
    }
    #expect(stays == [0])
    let goes = passes { virtual, timer in
      virtual.loop.add(timer, forMode: Self.other)
      virtual.loop.remove(timer, forMode: .default)
    }
    #expect(goes.isEmpty)
  }

  @Test("A collected timer taken out of the running mode waits for a run in another of its modes")
  func waitsForOther() {
    let virtual = VirtualLoop()
    var called: [String] = []
    var second: Loop.Timer?
    let due = virtual.now + .seconds(1)
    virtual.loop.schedule(at: due, in: .default) { _ in
      if let second { virtual.loop.remove(second, forMode: .default) }
    }
    second = virtual.loop.schedule(every: .seconds(10), startingAt: due, in: .default) { _ in
      called.append(virtual.loop.currentMode?.rawValue ?? "none")
    }
    virtual.loop.add(second!, forMode: Self.other)
    virtual.advance(by: .seconds(5))
    #expect(called.isEmpty)
    virtual.advance(by: .zero, mode: Self.other)
    #expect(called == [Self.other.rawValue])
  }

  @Test("A change of tolerance leaves a collected timer to this pass")
  func toleranceChanged() {
    #expect(passes { _, timer in timer.tolerance = 3 } == [0])
    #expect(passes { _, timer in timer.leeway = .seconds(40) } == [0])
  }

  @Test("fire() by hand leaves the beat that was collected to this pass")
  func firedByHand() {
    #expect(passes { _, timer in timer.fire() } == [0, 0])
  }

  @Test("A collected timer that is re-dated follows its new date, also when it is re-dated to the past")
  func redated() {
    #expect(passes { virtual, timer in timer.fireDate = virtual.wallDate + 3 }.isEmpty)
    let virtual = VirtualLoop()
    var called: [Duration] = []
    var second: Loop.Timer?
    let start = virtual.now
    virtual.loop.schedule(at: start + .seconds(1), in: .default) { _ in
      second?.fireDate = virtual.wallDate + 3
      second?.fireDate = .distantFuture
      second?.fireDate = virtual.wallDate - 60
    }
    second = virtual.loop.schedule(every: .seconds(100), startingAt: start + .seconds(1), in: .default) {
      called.append($0.instant - start)
    }
    virtual.advance(by: .seconds(10))
    #expect(called == [.seconds(1)])
  }

  @Test("A timer in three modes that leaves one of them, or all, in its own handler goes on in the rest")
  func leavesInOwnHandler() {
    let virtual = VirtualLoop()
    let modes = [Loop.Mode("one"), Loop.Mode("two"), Loop.Mode("three")]
    var called: [String] = []
    let timer = virtual.loop.schedule(every: .seconds(1), in: modes[0]) { pass in
      let mode = virtual.loop.currentMode ?? .default
      called.append(mode.rawValue)
      virtual.loop.remove(pass.timer, forMode: mode)
    }
    virtual.loop.add(timer, forMode: modes[1])
    virtual.loop.add(timer, forMode: modes[2])
    for mode in [modes[1], modes[1], modes[0], modes[2]] { virtual.advance(by: .seconds(3), mode: mode) }
    #expect(called == ["two", "one", "three"])
    #expect(timer.isValid && timer.modes.isEmpty)
    virtual.loop.add(timer, forMode: modes[1])
    virtual.advance(by: .seconds(1), mode: modes[1])
    #expect(called.last == "two" && called.count == 4)
  }

  @Test("The inventory lists timers that are collected or whose handler runs")
  func inventory() {
    let virtual = VirtualLoop()
    var counts: [Int] = []
    for _ in 0..<3 {
      virtual.loop.schedule(every: .seconds(1)) { _ in counts.append(virtual.loop.items.count) }
    }
    virtual.advance(by: .seconds(1))
    #expect(counts == [3, 3, 3])
  }
}
