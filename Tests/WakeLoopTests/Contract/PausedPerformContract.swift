import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: performs are items")
struct PausedPerformContract {
  @Test(
    "Tens of thousands of performs in two modes are served by order and age, and cancelled, in no time",
    .timeLimit(.minutes(1)))
  func manyInTwoModes() {
    let virtual = VirtualLoop()
    let count = 40_000
    var called: [Int] = []
    var performs: [Loop.Perform] = []
    for number in 0..<count {
      performs.append(
        virtual.loop.perform(order: 0, inModes: [.default, .tracking]) { called.append(number) })
    }
    for number in stride(from: 0, to: count, by: 3) { performs[number].invalidate() }
    virtual.advance(by: .zero)
    #expect(called == (0..<count).filter { $0 % 3 != 0 })
    #expect(virtual.loop.run(mode: .tracking, for: .seconds(1)) == .finished)
  }

  @Test("Performs put back for a nested run and cancelled there do not run, and the others run once")
  func cancelledInNestedRun() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let virtual = VirtualLoop()
      let modes: [[Loop.Mode]] = [[.default], [.default, .tracking], [.tracking, .common], [.tracking]]
      var called: [Int] = []
      var expected: [Int] = []
      var performs: [Loop.Perform] = []
      virtual.loop.perform {
        // Nested in a mode with nothing of its own: everything is put back and taken back.
        virtual.loop.perform(inModes: [Loop.Mode("private")]) {
          for number in performs.indices where number % 3 == 1 { performs[number].invalidate() }
          for number in performs.indices where number % 3 == 2 {
            performs[number].isPaused = true
            performs[number].isPaused = false
          }
        }
        virtual.loop.run(mode: Loop.Mode("private"), for: .zero)
      }
      let orders = (0..<24).map { _ in Int.random(in: 0...2, using: &random) }
      for number in 0..<24 {
        performs.append(
          virtual.loop.perform(order: orders[number], inModes: modes.randomElement(using: &random)!) {
            called.append(number)
          })
        if number % 3 != 1 { expected.append(number) }
      }
      virtual.advance(by: .zero)
      virtual.advance(by: .zero, mode: .tracking)
      #expect(called.sorted() == expected, "seed \(seed)")
    }
  }

  @Test("A paused perform waits without making the loop spin, holds its run, and is called after resuming")
  func paused() {
    let virtual = VirtualLoop()
    var calls = 0
    var waits = 0
    virtual.loop.add(Loop.Observer(activities: .beforeWaiting) { _, _ in waits += 1 }, forMode: .default)
    let perform = virtual.loop.perform(order: 0) { calls += 1 }
    perform.isPaused = true
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .timedOut)
    #expect(calls == 0)
    #expect(waits <= 2)
    perform.isPaused = false
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
    #expect(calls == 1)
    #expect(!perform.isValid)
  }

  @Test("A perform paused by an earlier one of its pass is called in the pass after resuming, once")
  func pausedWhileCollected() {
    let virtual = VirtualLoop()
    var log: [String] = []
    var second: Loop.Perform?
    virtual.loop.perform(order: -1) {
      log.append("first")
      second?.isPaused = true
    }
    second = virtual.loop.perform(order: 0, inModes: [.default, .common]) { log.append("second") }
    virtual.loop.perform(order: 1) { log.append("third") }
    virtual.advance(by: .seconds(1))
    #expect(log == ["first", "third"])
    second?.isPaused = false
    virtual.advance(by: .seconds(1))
    #expect(log == ["first", "third", "second"])
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
  }

  @Test("A perform that was paused keeps its place among its equals, and one invalidated while paused goes")
  func keepsAge() {
    let virtual = VirtualLoop()
    var log: [Int] = []
    let performs = (0..<4).map { number in virtual.loop.perform(order: 0) { log.append(number) } }
    performs[0].isPaused = true
    performs[1].isPaused = true
    performs[1].isPaused = true
    performs[0].isPaused = false
    performs[2].isPaused = true
    performs[2].invalidate()
    performs[1].isPaused = false
    virtual.advance(by: .zero)
    #expect(log == [0, 1, 3])
    #expect(virtual.loop.run(mode: .default, for: .seconds(5)) == .finished)
  }

  @Test("A perform paused before the loop ends lets go of its block with the loop")
  func endsPaused() {
    let ended = SharedLog()
    do {
      let virtual = VirtualLoop()
      let token = Token { ended.append("block") }
      virtual.loop.perform(order: 0) { token.touch() }.isPaused = true
      virtual.advance(by: .seconds(1))
    }
    #expect(ended.entries == ["block"])
  }
}
