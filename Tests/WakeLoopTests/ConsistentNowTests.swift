import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("The consistent now")
struct ConsistentNowTests {
  @Test("everything that runs in one pass of the loop sees the same now, in thousands of random programs")
  func randomPrograms() {
    var handlers = 0
    var stamps = 0
    var nestedReturns = 0
    for seed in 0..<4_000 as Range<UInt64> {
      let program = ConsistentNowProgram(seed: seed)
      program.play()
      if let violation = program.checker.violation {
        Issue.record("seed \(seed): \(violation)")
        return
      }
      handlers += program.checker.handlers
      stamps += program.checker.stamps
      nestedReturns += program.checker.nestedReturns
    }
    // The programs are worth something only if they do what they are for.
    #expect(handlers > 100_000, "\(handlers) handlers")
    #expect(stamps > 20_000, "\(stamps) stamps")
    #expect(nestedReturns > 2_000, "\(nestedReturns) nested runs")
  }

  @Test("a blocked handler ends under the stamp that it began with, and so do all after it in its pass")
  func blockedHandler() {
    let virtual = VirtualLoop()
    let start = virtual.now
    let date = virtual.wallDate
    var seen: [Loop.Stamp] = []
    var wakes: [Date] = []
    for _ in 0..<3 {
      virtual.loop.after(.seconds(1)) { pass in
        virtual.block(for: .seconds(60))
        virtual.stepWallClock(by: .seconds(-86_400))
        seen.append(pass.stamp)
        seen.append(virtual.loop.stamp)
        wakes.append(Date.wake)
      }
    }
    virtual.advance(by: .seconds(2))
    #expect(Set(seen).count == 1)
    #expect(seen.first?.wakeInstant == start + .seconds(1))
    #expect(wakes == [date + 1, date + 1, date + 1])
  }

  @Test("outside a run the loop's date is the present, and follows the clock")
  func outsideARun() {
    let virtual = VirtualLoop()
    let date = virtual.wallDate
    #expect(virtual.loop.wakeDate == date)
    virtual.block(for: .seconds(5))
    #expect(virtual.loop.wakeDate == date + 5)
    #expect(virtual.loop.wakeInstant == virtual.now)
  }

  @Test("each stamp taken, that of entry included, adds one to the iteration")
  func iterationsCount() {
    let virtual = VirtualLoop()
    var seen: [UInt64] = []
    virtual.loop.add(
      Loop.Observer(activities: [.entry, .afterWaiting]) { _, _ in seen.append(virtual.loop.iteration) },
      forMode: .default)
    for second in 1...3 { virtual.loop.after(.seconds(second)) { _ in } }
    #expect(virtual.loop.run(mode: .default, for: .seconds(60)) == .finished)
    #expect(seen == [1, 2, 3, 4])
  }

  @Test("the recipe of an entry and after-waiting observer that remembers a date remembers the pass's")
  func portedRecipe() {
    let virtual = VirtualLoop()
    var remembered: [Date] = []
    var stamps: [Date] = []
    virtual.loop.add(
      Loop.Observer(activities: [.entry, .afterWaiting], order: -2_000_000) { _, _ in
        remembered.append(virtual.loop.wakeDate)
      }, forMode: .common)
    virtual.loop.schedule(every: .milliseconds(250)) { pass in stamps.append(pass.date) }
    virtual.advance(by: .seconds(1))
    #expect(Array(remembered.dropFirst().prefix(4)) == stamps)
  }
}
