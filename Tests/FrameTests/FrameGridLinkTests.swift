import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Frame links on a grid")
struct FrameGridLinkTests {
  let virtual = VirtualLoop()
  var sixty: Sixty { Sixty(origin: origin) }
  private let origin: Loop.Instant

  init() { origin = virtual.now }

  @Test("frames come one a refresh, on the grid and never early, each with the next refresh as its target")
  func regular() {
    var frames: [Frame] = []
    virtual.loop.onEachFrame { frames.append($0) }
    virtual.advance(by: .seconds(1))
    #expect(frames.count == 60)
    for (index, frame) in frames.enumerated() {
      #expect(frame.number == index + 1)
      #expect(frame.timestamp == sixty.instant(index + 1))
      #expect(frame.target == sixty.instant(index + 2))
      #expect(frame.stamp.wakeInstant == frame.timestamp)
      #expect(frame.late == .zero)
      #expect(frame.missed == 0)
      #expect(frame.startsAnew == (index == 0))
      #expect(frame.duration == .nanoseconds(16_666_667))
    }
  }

  #if DEBUG
    // A day has five million passes: too many where nothing is optimized.
    private static let hours = 1
  #else
    private static let hours = 24
  #endif

  @Test("hours at 59.94 Hz, a day in a release build, have exactly their frames and end on the grid")
  func hoursAtFractionalRate() {
    var count = 0
    var last = Loop.Instant(nanoseconds: 0)
    virtual.loop.onEachFrame(of: .grid(hz: 59.94)) {
      count += 1
      last = $0.timestamp
    }
    virtual.advance(by: .seconds(3_600 * Self.hours))
    #expect(count == 215_784 * Self.hours)
    #expect(last == origin + .seconds(3_600 * Self.hours))
  }

  @Test("a handler that stalls for 300 ms gets the next frame on the grid, with 17 missed and no burst")
  func ownStall() {
    var frames: [Frame] = []
    virtual.loop.onEachFrame { frame in
      frames.append(frame)
      if frames.count == 10 { virtual.block(for: .milliseconds(300)) }
    }
    virtual.advance(by: .seconds(1))
    #expect(frames.map { sixty.number($0.timestamp) } == Array(1...10) + Array(28...60))
    #expect(frames[10].missed == 17)
    #expect(frames.map(\.missed).reduce(0, +) == 17)
    #expect(frames[0].link.missedFrames == 17)
    #expect(frames.allSatisfy { $0.late == .zero })
  }

  @Test("a loop that is busy for 300 ms elsewhere calls one late frame for the refresh that holds then")
  func stallElsewhere() {
    var frames: [Frame] = []
    virtual.loop.onEachFrame { frames.append($0) }
    virtual.loop.after(.milliseconds(105)) { _ in virtual.block(for: .milliseconds(300)) }
    virtual.advance(by: .seconds(1))
    #expect(frames.map { sixty.number($0.timestamp) } == Array(1...6) + Array(24...60))
    #expect(frames[6].missed == 17)
    #expect(frames[6].late > .zero)
    #expect(frames[6].target == sixty.instant(25))
  }

  @Test("random stalls never give two frames in one refresh, and what is missed is what a plain count gives")
  func randomStalls() {
    var random = SplitMix64(seed: 60)
    var frames: [Frame] = []
    virtual.loop.onEachFrame { frame in
      frames.append(frame)
      if random.next() % 4 == 0 { virtual.block(for: random.duration(below: .milliseconds(70))) }
    }
    virtual.loop.schedule(every: .milliseconds(7)) { _ in
      if random.next() % 10 == 0 { virtual.block(for: random.duration(below: .milliseconds(60))) }
    }
    virtual.advance(by: .seconds(60))
    let refreshes = frames.compactMap { sixty.number($0.timestamp) }
    #expect(refreshes.count == frames.count)
    for (index, frame) in frames.enumerated().dropFirst() {
      #expect(refreshes[index] > refreshes[index - 1])
      #expect(frame.missed == refreshes[index] - refreshes[index - 1] - 1)
      #expect(frame.timestamp <= frame.stamp.wakeInstant)
      #expect(frame.target > frame.stamp.wakeInstant)
    }
  }

  @Test("a paused link makes no wake-ups, and what passes meanwhile is not missed")
  func pause() {
    var frames: [Frame] = []
    let link = virtual.loop.onEachFrame { frames.append($0) }
    virtual.advance(by: .milliseconds(100))
    link.isPaused = true
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(3600))
    #expect(frames.count == 6)
    #expect(virtual.loop.iteration - before <= 3)
    virtual.block(for: .milliseconds(5))
    link.isPaused = false
    let resumed = virtual.now
    virtual.advance(by: .milliseconds(50))
    #expect(frames[6].startsAnew)
    #expect(frames[6].missed == 0)
    #expect(frames[6].timestamp > resumed)
    #expect(sixty.number(frames[6].timestamp) != nil)
    #expect(frames[6].target > frames[6].stamp.wakeInstant)
    #expect(frames[6].duration > .zero)
    #expect(link.missedFrames == 0)
  }

  @Test("a rate changed in the handler holds for the frame after, and lower rates keep to the grid")
  func rateChange() {
    var frames: [Frame] = []
    virtual.loop.onEachFrame { frame in
      frames.append(frame)
      if frames.count == 3 {
        frame.link.preferredFrameRateRange = FrameRateRange(minimum: 10, maximum: 30, preferred: 20)
      }
      if frames.count == 6 { frame.link.preferredFrameRateRange = .default }
    }
    virtual.advance(by: .milliseconds(301))
    #expect(frames.map { sixty.number($0.timestamp) } == [1, 2, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18])
    #expect(frames[4].interval == sixty.instant(12) - sixty.instant(9))
    #expect(frames.allSatisfy { $0.missed == 0 })
  }

  @Test("after an overrun at a lower rate the phase begins anew at the next refresh")
  func lowerRateOverrun() {
    var frames: [Frame] = []
    let link = FrameLink { frame in
      frames.append(frame)
      if frames.count == 2 { virtual.block(for: .milliseconds(75)) }
    }
    link.preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: 0, preferred: 30)
    link.add(to: virtual.loop, forMode: .common)
    virtual.advance(by: .milliseconds(200))
    #expect(frames.map { sixty.number($0.timestamp) } == [1, 3, 8, 10, 12])
    #expect(frames[2].missed == 1)
  }

  @Test("the older spellings of the rate are rounded to rates that divide the display's")
  @available(*, deprecated)
  func olderSpellings() {
    func rate(_ set: (FrameLink) -> Void) -> Int {
      let virtual = VirtualLoop()
      var count = 0
      let link = FrameLink { _ in count += 1 }
      set(link)
      link.add(to: virtual.loop, forMode: .common)
      virtual.advance(by: .seconds(10))
      return (count + 5) / 10
    }
    #expect(rate { $0.preferredFramesPerSecond = 0 } == 60)
    #expect(rate { $0.preferredFramesPerSecond = -7 } == 60)
    #expect(rate { $0.preferredFramesPerSecond = .max } == 60)
    #expect(rate { $0.preferredFramesPerSecond = 24 } == 20)
    #expect(rate { $0.preferredFramesPerSecond = 35 } == 30)
    #expect(rate { $0.frameInterval = 4 } == 15)
    #expect(rate { $0.frameInterval = 0 } == 60)
    #expect(rate { $0.frameInterval = -1 } == 60)
    let nonsense = FrameRateRange(minimum: .nan, maximum: -3, preferred: .nan)
    #expect(rate { $0.preferredFrameRateRange = nonsense } == 60)
    let link = FrameLink { _ in }
    link.preferredFramesPerSecond = 24
    #expect(link.preferredFramesPerSecond == 24)
    link.frameInterval = 3
    #expect(link.frameInterval == 3)
  }

  @Test("the link's times are the last frame's, in seconds")
  func times() {
    let link = FrameLink { _ in }
    #expect(link.timestamp == 0)
    #expect(link.targetTimestamp == 0)
    #expect(link.duration > 0)
    link.add(to: virtual.loop, forMode: .default)
    virtual.advance(by: .milliseconds(40))
    #expect(link.timestamp == Double(sixty.instant(2).nanoseconds) / 1e9)
    #expect(link.targetTimestamp == Double(sixty.instant(3).nanoseconds) / 1e9)
    #expect(link.frameNumber == 2)
  }
}
