import LoopCore
import Testing

@Suite("What happened between two looks at the clocks")
struct AbsenceDetectorTests {
  private static let second: Int64 = 1_000_000_000
  typealias Readings = AbsenceDetector.Readings
  typealias Findings = AbsenceDetector.Findings

  private static let start = Readings(
    suspending: 1_000 * second, continuous: 5_000 * second, wall: 1_767_225_600 * second)

  @Test("random sleeps, steps, slewing and stalls are told apart, to the nanosecond but for slewing")
  func program() {
    var random = SplitMix64(seed: 14)
    var now = Self.start
    var detector = AbsenceDetector(now)
    for turn in 0..<100_000 {
      // Ten years at a time soon come to the end of what 64 bits hold.
      if turn % 10 == 0 {
        now = Self.start
        detector = AbsenceDetector(now)
      }
      let passed = Int64(random.next() % UInt64(3600 * Self.second))
      var expected = Findings()
      now.suspending += passed
      now.continuous += passed
      now.wall += passed + passed * (Int64(random.next() % 1001) - 500) / 1_000_000
      if random.next() % 3 == 0 {
        expected.slept = Int64(random.next() % UInt64(30 * 86_400 * Self.second)) + 2_000_000
        now.continuous += expected.slept
        now.wall += expected.slept
      }
      var isSet = false
      if random.next() % 3 == 0 {
        // From a second on either side to ten years, and more than all the slewing allowed for.
        let slewing = (passed + expected.slept) / 1000 + Self.second
        let size = slewing + Int64(random.next() % UInt64(3650 * 86_400 * Self.second))
        expected.stepped = random.next() % 2 == 0 ? size : -size
        now.wall += expected.stepped
        isSet = random.next() % 2 == 0
      }
      let found = detector.look(now, clockWasSet: isSet)
      let slewing = abs(found.stepped - expected.stepped)
      let isRight =
        found.slept == expected.slept && slewing <= passed / 2000
        && (found.stepped == 0) == (expected.stepped == 0) && found.late == 0
      if !isRight { #expect(isRight, "turn \(turn): \(found) instead of \(expected)") }
    }
  }

  @Test("a small step shows when the system says that the clock was set")
  func smallStep() {
    var now = Self.start
    var detector = AbsenceDetector(now)
    now.suspending += 3600 * Self.second
    now.continuous += 3600 * Self.second
    now.wall += 3600 * Self.second + 200_000_000
    var other = detector
    #expect(detector.look(now) == Findings())
    #expect(other.look(now, clockWasSet: true) == Findings(stepped: 200_000_000))
  }

  @Test("a wait that ended long after it should have was kept from it, whatever clock it waited for")
  func stopped() {
    for clock in ClockDomain.allCases {
      for slept in [0, 100 * Self.second] {
        let began = Self.start
        var detector = AbsenceDetector(began)
        var deadlines = WaitDeadlines()
        switch clock {
        case .suspending: deadlines.suspending = began.suspending + Self.second
        case .continuous: deadlines.continuous = began.continuous + Self.second
        case .wall: deadlines.wall = began.wall + Self.second
        }
        let ended = Readings(
          suspending: began.suspending + 9 * Self.second,
          continuous: began.continuous + 9 * Self.second + slept,
          wall: began.wall + 9 * Self.second + slept)
        let found = detector.look(ended, after: .init(began: began, deadlines: deadlines))
        #expect(found == Findings(slept: slept, late: 8 * Self.second), "\(clock), slept \(slept)")
      }
    }
  }

  @Test("a wait that ended by itself before anything was due says nothing, nor does one without a date")
  func awake() {
    let began = Self.start
    let ended = Readings(
      suspending: began.suspending + Self.second, continuous: began.continuous + Self.second,
      wall: began.wall + Self.second)
    for deadline in [began.suspending + 2 * Self.second, .max] {
      var detector = AbsenceDetector(began)
      let wait = AbsenceDetector.Wait(began: began, deadlines: WaitDeadlines(suspending: deadline))
      #expect(detector.look(ended, after: wait) == Findings())
    }
  }

  @Test("a clock set back or forward makes no wait for the wall look stopped")
  func steppedWall() {
    for step in [-3600 * Self.second, 3600 * Self.second] {
      let began = Self.start
      var detector = AbsenceDetector(began)
      let wait = AbsenceDetector.Wait(
        began: began, deadlines: WaitDeadlines(wall: began.wall + 10 * Self.second))
      let ended = Readings(
        suspending: began.suspending + 60 * Self.second, continuous: began.continuous + 60 * Self.second,
        wall: began.wall + 60 * Self.second + step)
      #expect(detector.look(ended, after: wait) == Findings(stepped: step))
    }
  }
}
