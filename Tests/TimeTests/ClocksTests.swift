import Foundation
import Glibc
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("The clocks by their names")
struct ClocksTests {
  private func reading(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test("each reading lies between two of the kernel's clock behind it")
  func system() {
    let clocks = Loop.Clocks.system
    func lies(_ value: () -> Double, on clock: clockid_t, plus offset: Double = 0) -> Bool {
      let before = reading(clock) + offset
      let read = value()
      // A Double of seconds since 1970 is exact to a fourth of a microsecond.
      return before - 1e-6 <= read && read <= reading(clock) + offset + 1e-6
    }
    #expect(lies({ clocks.date.timeIntervalSince1970 }, on: CLOCK_REALTIME))
    #expect(lies({ clocks.absoluteTime }, on: CLOCK_REALTIME, plus: -978_307_200))
    #expect(lies({ clocks.mediaTime }, on: CLOCK_MONOTONIC))
    #expect(lies({ clocks.uptime / .seconds(1) }, on: CLOCK_MONOTONIC))
    #expect(lies({ clocks.continuousTime / .seconds(1) }, on: CLOCK_BOOTTIME))
    #expect(
      lies(
        {
          let time = clocks.unixTime
          // The part below a microsecond is cut off.
          return Double(time.seconds) + Double(time.microseconds) / 1e6 + 1e-6
        }, on: CLOCK_REALTIME))
  }

  @Test("the date of boot is as long ago as the continuous clock says")
  func boot() {
    let clocks = Loop.Clocks.system
    let ago = clocks.date.timeIntervalSince(clocks.bootDate)
    #expect(abs(ago - clocks.continuousTime / .seconds(1)) < 60)
  }

  @Test("setting the clock moves the wall and the date of boot, and nothing else")
  func step() {
    let virtual = VirtualLoop()
    let clocks = virtual.loop.clocks
    let (date, boot) = (clocks.date, clocks.bootDate)
    let (media, continuous) = (clocks.mediaTime, clocks.continuousTime)
    virtual.stepWallClock(by: .seconds(-3600))
    #expect(clocks.date == date - 3600)
    #expect(clocks.bootDate == boot - 3600)
    #expect(clocks.unixTime.seconds == Int64(date.timeIntervalSince1970) - 3600)
    #expect(clocks.mediaTime == media)
    #expect(clocks.continuousTime == continuous)
  }

  @Test("while the machine sleeps the media time stands still and the others go on")
  func sleep() {
    let virtual = VirtualLoop()
    let clocks = virtual.loop.clocks
    let (date, boot) = (clocks.date, clocks.bootDate)
    let (uptime, continuous, instant) = (clocks.uptime, clocks.continuousTime, clocks.instant)
    virtual.sleepMachine(for: .seconds(8 * 3600))
    #expect(clocks.date == date + 8 * 3600)
    #expect(clocks.bootDate == boot)
    #expect(clocks.uptime == uptime)
    #expect(clocks.instant == instant)
    #expect(clocks.continuousTime == continuous + .seconds(8 * 3600))
  }

  @Test("a date before 1970 has its microseconds counted upwards too")
  func beforeTheEpoch() {
    let virtual = VirtualLoop(wallDate: Date(timeIntervalSince1970: -1.25))
    #expect(virtual.loop.clocks.unixTime == Loop.UnixTime(seconds: -2, microseconds: 750_000))
  }
}

extension Loop.UnixTime {
  init(seconds: Int64, microseconds: Int32) {
    self = Loop.Clocks.system.unixTime
    self.seconds = seconds
    self.microseconds = microseconds
  }
}

@Suite("A stopwatch")
struct StopwatchTests {
  @Test("it counts what passes while it runs, sleep included, and nothing else")
  func counts() {
    let virtual = VirtualLoop()
    var watch = Stopwatch(clocks: virtual.loop.clocks)
    virtual.advance(by: .seconds(5))
    #expect(watch.elapsed == .zero && !watch.isRunning)
    watch.start()
    watch.start()
    virtual.advance(by: .seconds(3))
    virtual.sleepMachine(for: .seconds(3600))
    virtual.stepWallClock(by: .seconds(-10_000))
    watch.pause()
    virtual.advance(by: .seconds(7))
    #expect(watch.elapsed == .seconds(3603))
    watch.start()
    virtual.advance(by: .milliseconds(250))
    #expect(watch.elapsed == .milliseconds(3_603_250))
    #expect(watch.text(digits: 2) == "1:00:03.25")
    #expect(watch.text(.seconds) == "3603 s")
    watch.reset()
    virtual.advance(by: .seconds(1))
    #expect(watch.elapsed == .seconds(1) && watch.isRunning)
  }

  @Test("laps add up to the whole")
  func laps() {
    let virtual = VirtualLoop()
    var watch = Stopwatch(countsSleep: false, clocks: virtual.loop.clocks)
    watch.start()
    for seconds in [3, 1, 4] {
      virtual.advance(by: .seconds(seconds))
      virtual.sleepMachine(for: .seconds(100))
      watch.lap()
    }
    #expect(watch.laps.map(\.duration) == [.seconds(3), .seconds(1), .seconds(4)])
    #expect(watch.laps.map(\.total) == [.seconds(3), .seconds(4), .seconds(8)])
    #expect(watch.laps.map(\.number) == [1, 2, 3])
  }
}

@Suite("Measuring")
struct MeasurementTests {
  @Test(
    "a body is called so many times, and the three numbers are in their order",
    arguments: [1, 2, 99, 100, 101, 12_345])
  func calls(count: Int) {
    var calls = 0
    let measurement = Loop.measure(count: count) { calls += 1 }
    #expect(calls == count)
    #expect(measurement.count == count)
    #expect(measurement.minimum > 0)
    #expect(measurement.minimum <= measurement.median && measurement.minimum <= measurement.mean)
  }

  @Test("what takes longer measures longer, and at least as long as it takes")
  func sleeping() {
    let measurement = Loop.measure(count: 5) { usleep(2_000) }
    #expect(measurement.minimum >= 2_000_000)
    #expect(measurement.mean >= 2_000_000)
    #expect(measurement.median >= 2_000_000)
  }

  @Test("a body that throws ends the measuring with its error")
  func throwing() {
    #expect(throws: CancellationError.self) {
      _ = try Loop.measure(count: 10) { throw CancellationError() }
    }
  }
}
