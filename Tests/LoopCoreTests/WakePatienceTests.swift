import LoopCore
import Testing

@Suite("Whether to look on for a moment before a sleep")
struct WakePatienceTests {
  /// What has been told of waits, and how it went.
  private struct Loop {
    var patience = WakePatience()
    private(set) var looks = 0
    private(set) var vainLooks = 0
    private(set) var waits = 0

    /// A wait that a post ends after so many nanoseconds; whoever sleeps is woken as much later.
    mutating func wait(nanoseconds: Int64, wakeUp: Int64 = 15_000) {
      waits += 1
      let isMeasured = patience.measures
      if patience.looks {
        looks += 1
        let found = nanoseconds <= WakePatience.limit
        if !found || nanoseconds < 3_000 { vainLooks += 1 }
        patience.noteLook(nanoseconds: min(nanoseconds, WakePatience.limit), found: found)
        if found { return }
      }
      patience.noteSleep(nanoseconds: isMeasured ? nanoseconds + wakeUp : nil, endedByPost: true)
    }
  }

  @Test("nobody looks, or reads a clock for it, whom no other thread has woken")
  func neverWoken() {
    var patience = WakePatience()
    for _ in 0..<100 {
      #expect(!patience.measures && !patience.looks)
      patience.noteSleep(nanoseconds: nil, endedByPost: false)
    }
  }

  @Test("who is answered at once looks from the fourth wait on, and goes on looking")
  func pingPong() {
    var loop = Loop()
    for _ in 0..<100 { loop.wait(nanoseconds: 8_000) }
    #expect(loop.looks == 97)
    #expect(loop.vainLooks == 0)
  }

  @Test(
    "one long wait, or one that no post has ended, and the trust has to be earned anew",
    arguments: [true, false])
  func interrupted(byPost: Bool) {
    var loop = Loop()
    for _ in 0..<10 { loop.wait(nanoseconds: 8_000) }
    #expect(loop.patience.looks)
    loop.patience.noteSleep(nanoseconds: byPost ? 5_000_000 : 8_000, endedByPost: byPost)
    #expect(!loop.patience.looks)
  }

  @Test(
    "where a look is in vain, since the post comes too late or from a thread that goes on, few are made",
    arguments: [25_000, 100_000, 100, 2_900] as [Int64])
  func inVain(nanoseconds: Int64) {
    var loop = Loop()
    for _ in 0..<10_000 { loop.wait(nanoseconds: nanoseconds) }
    #expect(loop.looks > 0)
    #expect(loop.looks <= 6 + 10_000 / 64)
  }

  @Test(
    "of any waits at most every third is begun with a look in vain", arguments: 1...50 as ClosedRange<UInt64>)
  func bound(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var loop = Loop()
    let mostly = Int64.random(in: 1_000...80_000, using: &generator)
    for _ in 0..<5_000 {
      loop.wait(nanoseconds: Int64.random(in: 0...(2 * mostly), using: &generator), wakeUp: 10_000)
    }
    #expect(loop.vainLooks * 3 <= loop.waits + 3)
  }
}
