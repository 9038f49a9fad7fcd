import Glibc
import LoopCore
import LoopPlatform
import Synchronization
import Testing

extension PlatformTests {
  @Suite struct DeadlineTests {
    private func deadlines(_ clock: ClockDomain, _ instant: Int64) -> WaitDeadlines {
      switch clock {
      case .suspending: WaitDeadlines(suspending: instant)
      case .continuous: WaitDeadlines(continuous: instant)
      case .wall: WaitDeadlines(wall: instant)
      }
    }

    @Test("A wait ends at its deadline and not before, on each clock", arguments: ClockDomain.allCases)
    func neverEarly(clock: ClockDomain) {
      let one = OneBackend()
      for _ in 0..<50 {
        let deadline = one.backend.now(clock) + 300_000
        #expect(one.wait(until: deadlines(clock, deadline)).isEmpty)
        // One wait is enough: an early one would be a poll too many each time.
        #expect(one.backend.now(clock) >= deadline)
      }
    }

    @Test("A deadline that has passed, zero or before all time is a poll", arguments: [0, -1, Int64.min, 1])
    func past(instant: Int64) {
      let one = OneBackend()
      for clock in ClockDomain.allCases {
        #expect(one.wait(until: deadlines(clock, instant)).isEmpty)
      }
    }

    @Test("Of several clocks the first deadline ends the wait")
    func firstOfClocks() {
      let one = OneBackend()
      let deadline = one.after(milliseconds: 3)
      _ = one.wait(
        until: WaitDeadlines(
          suspending: deadline, continuous: one.after(milliseconds: 60_000, on: .continuous),
          wall: one.after(milliseconds: 60_000, on: .wall)))
      let now = one.backend.now(.suspending)
      #expect(now >= deadline)
      #expect(now < deadline + 50_000_000_000)
    }

    @Test("An expired timer does not wake the wait of another mode, nor a later one", arguments: [0, 1])
    func expiredStaysSilent(secondMode: Int) {
      let one = OneBackend(modes: 2)
      for clock in ClockDomain.allCases {
        _ = one.wait(mode: 0, until: deadlines(clock, one.backend.now(clock) + 200_000))
        let deadline = one.after(milliseconds: 5)
        _ = one.wait(mode: secondMode, until: WaitDeadlines(suspending: deadline))
        #expect(one.backend.now(.suspending) >= deadline)
      }
    }

    @Test("A deadline that is no longer wanted does not end a wait without any")
    func unwantedDeadline() {
      let one = OneBackend(modes: 2)
      let waker = one.waker
      // Armed, but the wait ends by the raise.
      waker.raise(.wake)
      _ = waker.take()
      for clock in ClockDomain.allCases {
        let pipe = DescriptorPair.pipe()
        #expect(one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: 1) == 0)
        pipe.send()
        _ = one.wait(until: deadlines(clock, one.backend.now(clock) + 2_000_000))
        #expect(one.backend.unwatch(mode: 0, descriptor: pipe.reading) == 0)
        pipe.close()
        let raised = Raised()
        let thread = TestThread {
          usleep(10_000)
          raised.set()
          waker.raise(.wake)
        }
        _ = one.wait(mode: 1, until: .never)
        #expect(raised.isSet)
        thread.join()
        _ = waker.take()
        // A raise that found the loop awake may have left its write behind.
        _ = one.ready(mode: 1)
      }
    }

    @Test("The same deadline again, after it was reported, ends the next wait at once")
    func sameDeadlineAgain() {
      let one = OneBackend(modes: 2)
      let deadline = one.after(milliseconds: 1)
      while one.backend.now(.suspending) < deadline {
        _ = one.wait(until: WaitDeadlines(suspending: deadline))
      }
      _ = one.wait(until: WaitDeadlines(suspending: deadline))
      _ = one.wait(mode: 1, until: WaitDeadlines(suspending: deadline))
    }

    @Test("A timer armed in one mode ends the wait of a mode opened later")
    func modeOpenedLater() {
      let one = OneBackend()
      for clock in ClockDomain.allCases {
        _ = one.wait(until: deadlines(clock, one.backend.now(clock) + 100_000))
      }
      #expect(one.backend.openMode(5, servesMainQueue: false) == 0)
      for clock in ClockDomain.allCases {
        let deadline = one.backend.now(clock) + 1_000_000
        _ = one.wait(mode: 5, until: deadlines(clock, deadline))
        #expect(one.backend.now(clock) >= deadline)
      }
    }

    @Test(
      "Far-future deadlines neither wake nor overflow", arguments: [Int64.max - 1, Int64.max / 2, 1 << 62])
    func farFuture(instant: Int64) {
      let one = OneBackend()
      let waker = one.waker
      for clock in ClockDomain.allCases {
        let raised = Raised()
        let thread = TestThread {
          usleep(2_000)
          raised.set()
          waker.raise(.wake)
        }
        _ = one.wait(until: deadlines(clock, instant))
        #expect(raised.isSet)
        thread.join()
        _ = waker.take()
        _ = one.ready()
      }
    }

    @Test("The wall is read after the monotonic clock")
    func readings() {
      let before = SystemClock.now(.wall)
      let readings = SystemClock.readings()
      #expect(readings.wall >= before)
      #expect((0..<1_000_000_000).contains(readings.wallNanoseconds))
      #expect(readings.suspending <= SystemClock.now(.suspending))
    }
  }
}

private final class Raised: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
  func set() { value.store(true, ordering: .sequentiallyConsistent) }
}
