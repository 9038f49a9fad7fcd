import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: odd input to timers")
struct OddTimerInputCases {
  private static let thousandYears: Int64 = 1_000 * 366 * 86_400

  @Test("Case 26: dates and delays without end are never, and cost nothing")
  func never() {
    let virtual = VirtualLoop()
    var fired = 0
    within(virtual) {
      for interval in [Double.infinity, 1e300, 1e18] {
        Loop.Timer.scheduledTimer(withTimeInterval: interval, repeats: false) { _ in fired += 1 }
        Loop.Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { _ in fired += 1 }
      }
      for date in [Date.distantFuture, Date(timeIntervalSinceReferenceDate: .infinity)] {
        let timer = Loop.Timer(fire: date, interval: 0, repeats: false) { _ in fired += 1 }
        virtual.loop.add(timer, forMode: .default)
        virtual.loop.schedule(at: date) { _ in fired += 1 }
      }
    }
    for delay in [Duration.seconds(Int64.max), .nanoseconds(Int64.max), .seconds(1e18)] {
      virtual.loop.after(delay) { _ in fired += 1 }
      virtual.loop.after(delay, tolerance: delay) { _ in fired += 1 }
      virtual.loop.schedule(every: delay) { _ in fired += 1 }
    }
    virtual.loop.schedule(at: Loop.Instant(nanoseconds: .max)) { _ in fired += 1 }
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(100 * 365 * 86_400))
    #expect(fired == 0)
    #expect(virtual.loop.iteration - before <= 3)
  }

  @Test("Case 26: dates and delays before all time are the next pass")
  func nextPass() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired = 0
    within(virtual) {
      for date in [Date.distantPast, Date(timeIntervalSinceReferenceDate: -.infinity)] {
        let timer = Loop.Timer(fire: date, interval: 0, repeats: false) { _ in fired += 1 }
        virtual.loop.add(timer, forMode: .default)
        virtual.loop.schedule(at: date) { _ in fired += 1 }
      }
      for interval in [-Double.infinity, -1e300, -1, 0] {
        Loop.Timer.scheduledTimer(withTimeInterval: interval, repeats: false) { _ in fired += 1 }
      }
    }
    for delay in [Duration.seconds(Int64.min), .nanoseconds(Int64.min), .seconds(-1)] {
      virtual.loop.after(delay) { _ in fired += 1 }
    }
    virtual.loop.schedule(at: Loop.Instant(nanoseconds: .min)) { _ in fired += 1 }
    virtual.advance(by: .milliseconds(1))
    #expect(fired == 4 + 4 + 3 + 1)
    #expect(virtual.now == start + .milliseconds(1))
  }

  @Test(
    "Case 26: long delays that overflow 32 bits of milliseconds are right, not wrapped",
    arguments: [
      Duration.milliseconds(Int64(1) << 31), .milliseconds(Int64(1) << 32), .seconds(49.8 * 86_400),
      .nanoseconds((Int64(1) << 62) + 1),
    ])
  func long(_ delay: Duration) {
    let virtual = VirtualLoop()
    let start = virtual.now
    var fired: [Loop.Instant] = []
    virtual.loop.after(delay) { fired.append($0.instant) }
    #expect(virtual.loop.run(mode: .default, for: .nanoseconds(Int64.max)) == .finished)
    #expect(fired == [start + delay])
  }

  @Test("Case 26: a date that is no number is refused by name")
  func notANumber() async {
    await #expect(processExitsWith: .failure) {
      _ = Loop.Timer(timeInterval: .nan, repeats: false) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      _ = Loop.Timer(
        fire: Date(timeIntervalSinceReferenceDate: .nan), interval: 0, repeats: false
      ) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let timer = Loop.Timer(timeInterval: 1, repeats: false) { _ in }
      timer.fireDate = Date(timeIntervalSinceReferenceDate: .nan)
    }
  }

  @Test("Case 27: 25,000 paused timers of five microseconds leave a live one undisturbed")
  func pausedCrowd() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var strays = 0
    var fired: [Loop.Instant] = []
    for _ in 0..<25_000 {
      virtual.loop.schedule(every: .microseconds(5)) { _ in strays += 1 }.isPaused = true
    }
    virtual.loop.schedule(every: .seconds(1)) { fired.append($0.instant) }
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(10))
    #expect(strays == 0)
    #expect(fired == (1...10).map { start + .seconds($0) })
    #expect(virtual.loop.iteration - before <= 12)
  }
}
