import Glibc
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Frame links on a clock that is told")
struct ToldClockTests {
  let virtual = VirtualLoop()

  private func check(_ frames: [Frame]) {
    for (before, frame) in zip(frames, frames.dropFirst()) {
      #expect(frame.timestamp > before.timestamp)
      #expect(frame.target > before.target)
    }
    for frame in frames {
      #expect(frame.timestamp <= frame.stamp.wakeInstant)
      #expect(frame.target > frame.timestamp)
    }
  }

  @Test("frames follow the display's refreshes, one each")
  func follows() {
    let display = VirtualDisplay(in: virtual, hz: 50)
    let start = virtual.now
    var frames: [Frame] = []
    virtual.loop.onEachFrame(of: display.clock) { frames.append($0) }
    virtual.advance(by: .seconds(1))
    #expect(frames.map(\.timestamp) == (1...50).map { start + .milliseconds(20 * $0) })
    #expect(frames.allSatisfy { $0.missed == 0 })
    check(frames)
  }

  @Test("a paused link asks for nothing")
  func silent() {
    let display = VirtualDisplay(in: virtual, hz: 50)
    let link = virtual.loop.onEachFrame(of: display.clock) { _ in }
    virtual.advance(by: .seconds(1))
    #expect(display.clock.isRunning)
    link.isPaused = true
    #expect(!display.clock.isRunning)
    virtual.advance(by: .milliseconds(50))
    let before = virtual.loop.iteration
    virtual.advance(by: .seconds(1000))
    #expect(virtual.loop.iteration - before <= 2)
  }

  @Test("a stall is followed by the next refresh, with the missed counted; lower rates hold")
  func stall() {
    let display = VirtualDisplay(in: virtual, hz: 50)
    let start = virtual.now
    var frames: [Frame] = []
    let link = FrameLink(clock: display.clock) { frame in
      frames.append(frame)
      if frames.count == 4 { virtual.block(for: .milliseconds(130)) }
    }
    link.preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: 0, preferred: 25)
    link.add(to: virtual.loop, forMode: .common)
    virtual.advance(by: .milliseconds(500))
    let refreshes = frames.map { ($0.timestamp - start) / .milliseconds(20) }
    #expect(refreshes == [1, 3, 5, 7, 14, 16, 18, 20, 22, 24])
    #expect(frames[4].missed == 2)
    check(frames)
  }

  @Test("a window hidden for an hour gets one frame when it is shown, and counts nothing as missed")
  func hidden() {
    let display = VirtualDisplay(in: virtual, hz: 60)
    var frames: [Frame] = []
    virtual.loop.onEachFrame(of: display.clock) { frames.append($0) }
    virtual.advance(by: .milliseconds(105))
    display.isHidden = true
    let count = frames.count
    virtual.advance(by: .seconds(3_600))
    #expect(frames.count == count)
    display.isHidden = false
    virtual.advance(by: .milliseconds(10))
    #expect(frames.count <= count + 1)
    virtual.advance(by: .seconds(1))
    #expect((60...61).contains(frames.count - count))
    #expect(frames.allSatisfy { $0.missed == 0 })
    check(frames)
  }

  @Test("a display that advertises a wrong rate is measured; another rate is followed within a second")
  func wrongRate() {
    let display = VirtualDisplay(in: virtual, hz: 144)
    display.advertisedInterval = .milliseconds(33)
    var frames: [Frame] = []
    virtual.loop.onEachFrame(of: display.clock) { frames.append($0) }
    virtual.advance(by: .seconds(1))
    var count = frames.count
    virtual.advance(by: .seconds(1))
    #expect((143...145).contains(frames.count - count))
    #expect(abs(frames[count + 10].interval / .seconds(1) - 1.0 / 144) < 0.0002)
    display.setRate(hz: 24)
    virtual.advance(by: .seconds(1))
    count = frames.count
    virtual.advance(by: .seconds(1))
    #expect((23...25).contains(frames.count - count))
    check(frames)
  }

  @Test("nonsense of every kind leaves frames rising, the loop going, and pacing right within a second")
  func nonsense() {
    var random = SplitMix64(seed: 61)
    for _ in 0..<30 {
      let virtual = VirtualLoop()
      let display = VirtualDisplay(in: virtual, hz: 60)
      var frames: [Frame] = []
      var beats = 0
      virtual.loop.onEachFrame(of: display.clock) { frames.append($0) }
      let timer = virtual.loop.schedule(every: .milliseconds(10)) { _ in beats += 1 }
      for _ in 0..<200 {
        virtual.advance(by: random.duration(below: .milliseconds(30)))
        switch random.next() % 8 {
        case 0: display.clock.tick(at: Loop.Instant(nanoseconds: 0))
        case 1: display.clock.tick(at: Loop.Instant(nanoseconds: Int64(bitPattern: random.next())))
        case 2: for _ in 0..<5 { display.clock.tick(at: frames.last?.timestamp ?? virtual.now) }
        case 3: display.clock.tick(at: virtual.now + .seconds(3_600), refresh: .zero)
        case 4: display.clock.tick(at: virtual.now - .milliseconds(200), refresh: .seconds(-1))
        case 5: display.isHidden.toggle()
        default: display.timestampError = .milliseconds(Int64(random.next() % 400) - 200)
        }
      }
      check(frames)
      display.isHidden = false
      display.timestampError = .zero
      virtual.advance(by: .seconds(1))
      let count = frames.count
      let before = virtual.loop.iteration
      virtual.advance(by: .seconds(1))
      #expect((59...61).contains(frames.count - count))
      #expect(frames.suffix(50).allSatisfy { abs($0.interval / .milliseconds(1) - 16.667) < 0.5 })
      // The timer's, and two at most for each refresh: told, and called.
      #expect(virtual.loop.iteration - before <= 100 + 4 * 60 + 10)
      #expect(beats > 100)
      timer.invalidate()
    }
  }

  @Test("a clock that answers each request at once with the same word does not make the loop spin")
  func answersAtOnce() {
    for told in [0, 1, Int64.max] {
      let virtual = VirtualLoop()
      var frames: [Frame] = []
      nonisolated(unsafe) var clock: FrameClock?
      let made = FrameClock.external { clock?.tick(at: Loop.Instant(nanoseconds: told)) }
      clock = made
      virtual.loop.onEachFrame(of: made) { frames.append($0) }
      let before = virtual.loop.iteration
      virtual.advance(by: .seconds(1))
      #expect((30...62).contains(frames.count), "\(told)")
      #expect(virtual.loop.iteration - before < 400)
      check(frames)
      clock = nil
    }
  }

  @Test("times told on another clock of the kernel's are carried over to the loop's")
  func otherClocks() {
    let clocks: [(FrameClock.Timebase, clockid_t)] = [
      (.monotonic, CLOCK_MONOTONIC), (.monotonicRaw, CLOCK_MONOTONIC_RAW), (.boottime, CLOCK_BOOTTIME),
      (.realtime, CLOCK_REALTIME),
    ]
    for (timebase, number) in clocks {
      // On this thread's own loop, whose clocks are the system's.
      let loop = Loop.current
      var frame: Frame?
      let clock = FrameClock.external()
      let link = loop.onEachFrame(of: clock, in: .default) {
        frame = $0
        loop.stop()
      }
      var time = timespec()
      clock_gettime(number, &time)
      let before = Loop.Instant.now
      // Long enough that the refresh is told late, and to be told from one that counts as now.
      usleep(5_000)
      clock.tick(atNanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec), of: timebase)
      loop.run(mode: .default, for: .seconds(60))
      link.invalidate()
      let told = frame?.timestamp ?? .distantFuture
      // Reading a clock may be interrupted for a while; the refresh itself may not have been rounded to now.
      #expect(told <= before + .milliseconds(1), "\(timebase)")
    }
  }
}
