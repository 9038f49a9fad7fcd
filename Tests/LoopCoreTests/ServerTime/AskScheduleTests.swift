import LoopCore
import Testing

@Suite("When a server is asked")
struct AskScheduleTests {
  private let second: Int64 = 1_000_000_000

  @Test("a few asks soon, then one an interval")
  func answers() {
    var schedule = AskSchedule(interval: 64 * second, spacing: 2 * second, asksSoon: 3)
    let delays = (0..<5).map { _ in schedule.succeeded() / second }
    #expect(delays == [2, 2, 2, 64, 64])
  }

  @Test("failures double the delay, and an answer ends that")
  func failures() {
    var schedule = AskSchedule(interval: 64 * second, spacing: 2 * second, asksSoon: 0)
    let delays = (0..<9).map { _ in schedule.failed() / second }
    #expect(delays == [2, 4, 8, 16, 32, 64, 128, 128, 128])
    #expect(schedule.succeeded() == 64 * second)
    #expect(schedule.failed() == 2 * second)
    for _ in 0..<1000 { _ = schedule.failed() }
    #expect(schedule.failed() == 128 * second)
  }

  @Test("a server that complains of the rate is asked half as often from then on, never more often")
  func slowedDown() {
    var schedule = AskSchedule(interval: 64 * second, spacing: 2 * second, asksSoon: 3)
    #expect(schedule.slowedDown() == 128 * second)
    #expect(schedule.succeeded() == 128 * second)
    for _ in 0..<40 { _ = schedule.slowedDown() }
    #expect(schedule.interval == AskSchedule.longest)
    var rare = AskSchedule(interval: 5000 * second, spacing: second, asksSoon: 0)
    #expect(rare.slowedDown() == 5000 * second)
  }
}
