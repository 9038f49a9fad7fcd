import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("A countdown")
struct CountdownTests {
  /// What a countdown has told, and when.
  final class Log {
    var counts: [Int64] = []
    var texts: [String] = []
    var at: [Duration] = []
    var finishes = 0
  }

  private func play(
    _ virtual: VirtualLoop, _ duration: Duration, resolution: Duration = .seconds(1),
    clock: CountdownClock = .continuous, log: Log
  ) -> Countdown {
    let start = virtual.now
    return Countdown(duration, resolution: resolution, clock: clock, on: virtual.loop) { reading in
      log.counts.append(reading.count)
      log.texts.append(reading.text(.seconds))
      log.at.append(virtual.now - start)
    } onFinish: {
      log.finishes += 1
    }
  }

  @Test("a minute shows exactly the 61 values from 60 to 0, each at its instant, and is over once")
  func minute() {
    let virtual = VirtualLoop()
    let log = Log()
    let countdown = play(virtual, .seconds(60), log: log)
    #expect(countdown.state == .idle)
    countdown.start()
    #expect(log.counts == [60])
    virtual.loop.run()
    #expect(log.counts == (0...60).reversed())
    #expect(log.at == (0...60).map { .seconds($0) })
    #expect(log.texts.first == "60 s" && log.texts.last == "0 s")
    #expect(log.finishes == 1)
    #expect(countdown.state == .finished)
  }

  @Test(
    "finer resolutions show each of their values",
    arguments: [Duration.milliseconds(100), .milliseconds(10)])
  func finer(resolution: Duration) {
    let virtual = VirtualLoop()
    let log = Log()
    play(virtual, .seconds(3), resolution: resolution, log: log).start()
    virtual.loop.run()
    let units = Int64(Duration.seconds(3) / resolution)
    #expect(log.counts == (0...units).reversed())
    #expect(log.finishes == 1)
  }

  @Test("with the frames of a link it tells each frame's value and ends at its end")
  func frames() {
    let virtual = VirtualLoop()
    let log = Log()
    let countdown = play(virtual, .seconds(1), resolution: .milliseconds(1), log: log)
    countdown.pace = .frames(nil)
    countdown.start()
    virtual.loop.run()
    #expect((55...70).contains(log.counts.count), "\(log.counts.count) values")
    #expect(zip(log.counts, log.counts.dropFirst()).allSatisfy { $0 > $1 })
    #expect(log.counts.last == 0)
    #expect(log.at.last == .seconds(1))
    #expect(log.finishes == 1)
    #expect(virtual.loop.items.isEmpty)
  }

  @Test("after a stall it shows the right value at once and goes on on its boundaries")
  func stall() {
    let virtual = VirtualLoop()
    let log = Log()
    play(virtual, .seconds(10), log: log).start()
    virtual.loop.after(.milliseconds(2_500)) { _ in virtual.block(for: .milliseconds(4_200)) }
    virtual.loop.run()
    #expect(log.counts == [10, 9, 8, 4, 3, 2, 1, 0])
    #expect(log.at[3] == .milliseconds(6_700))
    #expect(log.at[4] == .seconds(7))
  }

  @Test("a second start restarts, and never runs twice as fast")
  func restart() {
    let virtual = VirtualLoop()
    let log = Log()
    let countdown = play(virtual, .seconds(3), log: log)
    countdown.start()
    virtual.advance(by: .milliseconds(1_500))
    countdown.start()
    countdown.start()
    virtual.loop.run()
    #expect(log.counts == [3, 2, 3, 3, 2, 1, 0])
    #expect(log.at.last == .milliseconds(4_500))
    #expect(log.finishes == 1)
    countdown.start()
    virtual.loop.run()
    #expect(log.finishes == 2)
  }

  @Test("paused it stands to the nanosecond, resumed it goes on with what remained")
  func pause() {
    let virtual = VirtualLoop()
    let log = Log()
    let countdown = play(virtual, .seconds(5), log: log)
    countdown.start()
    virtual.advance(by: .milliseconds(1_300))
    countdown.pause()
    countdown.pause()
    #expect(countdown.state == .paused)
    virtual.advance(by: .seconds(3600))
    #expect(countdown.remaining == .milliseconds(3_700))
    countdown.resume()
    countdown.resume()
    virtual.loop.run()
    #expect(log.counts == [5, 4, 3, 2, 1, 0])
    #expect(log.at.last == .milliseconds(5_000) + .seconds(3600))
    #expect(log.finishes == 1)
  }

  @Test("what is added is shown at once, and can be taken away again")
  func adding() {
    let virtual = VirtualLoop()
    let log = Log()
    let countdown = play(virtual, .seconds(3), log: log)
    countdown.add(.seconds(60))
    countdown.start()
    virtual.advance(by: .seconds(1))
    countdown.add(.seconds(60))
    virtual.advance(by: .seconds(1))
    countdown.pause()
    countdown.add(.seconds(-60))
    countdown.resume()
    #expect(log.counts == [3, 2, 62, 61, 1])
    countdown.add(.seconds(-3600))
    #expect(log.finishes == 0)
    virtual.loop.run()
    #expect(log.counts.last == 0 && log.counts.count == 6)
    #expect(log.finishes == 1)
    countdown.add(.seconds(1))
    #expect(countdown.state == .finished)
  }

  @Test("cancelled it says nothing more, and can be started again")
  func cancel() {
    let virtual = VirtualLoop()
    let log = Log()
    let countdown = play(virtual, .seconds(3), log: log)
    countdown.start()
    virtual.advance(by: .seconds(1))
    countdown.cancel()
    countdown.cancel()
    #expect(countdown.state == .cancelled)
    virtual.loop.run()
    #expect(log.counts == [3, 2] && log.finishes == 0)
    countdown.start()
    virtual.loop.run()
    #expect(log.counts == [3, 2, 3, 2, 1, 0] && log.finishes == 1)
  }

  @Test("one of no length tells 0 inside start and is over in a later pass")
  func zero() {
    for duration in [Duration.zero, .seconds(-5)] {
      let virtual = VirtualLoop()
      let log = Log()
      play(virtual, duration, log: log).start()
      #expect(log.counts == [0] && log.finishes == 0)
      virtual.loop.run()
      #expect(log.counts == [0] && log.finishes == 1)
    }
  }

  @Test("it may be cancelled, restarted and added to in its own handlers")
  func inside() {
    let virtual = VirtualLoop()
    var log: [String] = []
    var countdown: Countdown!
    var restarts = 0
    countdown = Countdown(.seconds(3), on: virtual.loop) { reading in
      log.append("\(reading.count)")
      switch log.count {
      case 2:
        countdown.start()
        log.append("started")
      case 4: countdown.add(.seconds(2))
      default: break
      }
    } onFinish: {
      log.append("over")
      restarts += 1
      if restarts == 1 { countdown.start() } else { countdown.cancel() }
    }
    countdown.start()
    virtual.loop.run()
    #expect(
      log == ["3", "2", "started", "3", "5", "4", "3", "2", "1", "0", "over", "3", "2", "1", "0", "over"])
    #expect(countdown.state == .finished)
    countdown = nil
  }

  @Test("cancelled in the tick of 0 it is not over")
  func cancelAtZero() {
    let virtual = VirtualLoop()
    var finishes = 0
    var countdown: Countdown!
    countdown = Countdown(.seconds(1), on: virtual.loop) {
      if $0.isOver { countdown.cancel() }
    } onFinish: {
      finishes += 1
    }
    countdown.start()
    virtual.loop.run()
    #expect(finishes == 0 && countdown.state == .cancelled)
    countdown = nil
  }

  @Test("a locked phone still counts, and on the suspending clock it does not")
  func sleep() {
    for (clock, counts) in [
      (CountdownClock.continuous, [10, 9, 8, 3, 2, 1, 0] as [Int64]),
      (.suspending, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
    ] {
      let virtual = VirtualLoop()
      let log = Log()
      play(virtual, .seconds(10), clock: clock, log: log).start()
      virtual.sleepMachine(for: .milliseconds(5_000), at: virtual.now + .milliseconds(2_500))
      virtual.loop.run()
      #expect(log.counts == counts)
    }
  }

  @Test("to a date by the wall it follows every setting of the clock at once, by others none")
  func date() {
    for (clock, expected) in [
      (CountdownClock.wall, [3, 6, 5, 4, 0] as [Int64]), (.continuous, [3, 2, 1, 0]),
    ] {
      let virtual = VirtualLoop()
      var counts: [Int64] = []
      let countdown = Countdown(until: virtual.wallDate + 3, clock: clock, on: virtual.loop) {
        counts.append($0.count)
      }
      countdown.start()
      virtual.stepWallClock(by: .seconds(-3), at: virtual.now + .milliseconds(500))
      virtual.stepWallClock(by: .seconds(3600), at: virtual.now + .milliseconds(2_500))
      virtual.loop.run()
      #expect(counts == expected)
    }
  }

  @Test("ten days accumulate no error")
  func tenDays() {
    let virtual = VirtualLoop()
    var ticks = 0
    var isExact = true
    let start = virtual.now
    let countdown = Countdown(.seconds(864_000), resolution: .seconds(20), on: virtual.loop) { reading in
      isExact =
        isExact && virtual.now - start == .seconds(20 * ticks) && reading.count == 43_200 - Int64(ticks)
        && reading.remaining == reading.shown
      ticks += 1
    }
    countdown.start()
    virtual.loop.run()
    #expect(ticks == 43_201 && isExact)
    #expect(virtual.now == start + .seconds(864_000))
  }

  @Test("one that never ends costs no wake-up")
  func never() {
    let virtual = VirtualLoop()
    var counts = 0
    let countdown = Countdown(until: .distantFuture, on: virtual.loop) { _ in counts += 1 }
    countdown.start()
    virtual.advance(by: .seconds(86_400))
    #expect(counts == 1 && countdown.state == .running)
    countdown.cancel()
  }

  @Test(
    "random programs of stalls, sleeps, steps, drift and changes: never early, values fall, the right one is shown"
  )
  func program() {
    for seed in 1...150 {
      var random = SplitMix64(seed: UInt64(seed))
      let virtual = VirtualLoop()
      let resolution = [Duration.seconds(1), .milliseconds(100), .milliseconds(10)].randomElement(
        using: &random)!
      let isSuspending = Bool.random(using: &random)
      let clocks = virtual.loop.clocks
      func now() -> Duration { isSuspending ? clocks.uptime : clocks.continuousTime }
      let length = Duration.milliseconds(Int64.random(in: 1...30_000, using: &random))
      var end = Duration.zero
      var last = Int64.max
      var finishes = 0
      var problems: [String] = []
      let countdown = Countdown(
        length, resolution: resolution, clock: isSuspending ? .suspending : .continuous, on: virtual.loop
      ) { reading in
        // What came before in the pass may have taken time, of which its now knows nothing.
        let passNow = now() - (virtual.now - virtual.loop.wakeInstant)
        let expected = max(0, Int64(((end - passNow) / resolution).rounded(.up)))
        if reading.count != expected { problems.append("\(reading.count) instead of \(expected)") }
        if reading.count >= last { problems.append("\(reading.count) after \(last)") }
        last = reading.count
      } onFinish: {
        finishes += 1
        if now() < end { problems.append("over \(end - now()) early") }
        if last != 0 { problems.append("over at \(last)") }
      }
      virtual.setWallDrift(partsPerMillion: Double.random(in: -500...500, using: &random))
      end = now() + length
      countdown.start()
      for _ in 0..<12 {
        virtual.advance(by: .milliseconds(Int64.random(in: 1...4_000, using: &random)))
        switch random.next() % 6 {
        case 0:
          virtual.stepWallClock(by: .seconds(Int64.random(in: -315_360_000...315_360_000, using: &random)))
        case 1: virtual.sleepMachine(for: .milliseconds(Int64.random(in: 1...8_000, using: &random)))
        case 2:
          let stall = Duration.milliseconds(Int64.random(in: 1...5_000, using: &random))
          virtual.loop.after(.milliseconds(Int64.random(in: 0...900, using: &random))) { _ in
            virtual.block(for: stall)
          }
        case 3:
          let added = Duration.milliseconds(Int64.random(in: 0...3_000, using: &random))
          guard countdown.state == .running, now() < end else { break }
          end += added
          last = .max
          countdown.add(added)
        case 4:
          guard countdown.state == .running, now() < end else { break }
          countdown.pause()
          let before = now()
          virtual.advance(by: .milliseconds(Int64.random(in: 1...4_000, using: &random)))
          end += now() - before
          countdown.resume()
        default: break
        }
      }
      virtual.advance(by: .seconds(120))
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(3))")
      #expect(finishes == 1, "seed \(seed)")
    }
  }

  @Test("by a server's time it counts to the server's date, whatever the local clock says")
  func server() throws {
    let virtual = VirtualLoop()
    let server = ServerClock(on: virtual.loop)
    // The local clock is an hour behind the server's.
    let question = server.question()
    _ = server.take(virtual.wallDate + 3600, inAnswerTo: question)
    var counts: [Int64] = []
    var finishes = 0
    let countdown = Countdown(
      until: virtual.wallDate + 3600 + 5, clock: try #require(server.countdownClock), on: virtual.loop
    ) {
      counts.append($0.count)
    } onFinish: {
      finishes += 1
    }
    countdown.start()
    virtual.stepWallClock(by: .seconds(-7200), at: virtual.now + .milliseconds(1_500))
    virtual.sleepMachine(for: .seconds(2), at: virtual.now + .milliseconds(1_600))
    virtual.loop.run()
    #expect(counts == [5, 4, 2, 1, 0])
    #expect(finishes == 1)
  }
}
