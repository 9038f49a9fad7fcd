/// Finds out, by the differences of three clocks, what happened to a loop between two looks at them.
///
/// ```
///                      suspending   continuous   wall
/// time passed              +d           +d        +d
/// the machine slept         0           +d        +d
/// the clock was set         0            0        +d
/// ```
///
/// A stopped process shows in none of the differences: it is a wait that ended long after it should have.
package struct AbsenceDetector: Sendable {
  /// The three clocks, read at one point, in nanoseconds.
  package struct Readings: Sendable, Equatable {
    package var suspending: Int64
    package var continuous: Int64
    package var wall: Int64

    package init(suspending: Int64, continuous: Int64, wall: Int64) {
      self.suspending = suspending
      self.continuous = continuous
      self.wall = wall
    }
  }

  /// What happened, in nanoseconds; 0 is nothing.
  package struct Findings: Sendable, Equatable {
    /// How long the machine slept.
    package var slept: Int64 = 0
    /// How long the loop was kept from waking, the machine being awake.
    package var late: Int64 = 0
    /// By how much the wall clock was set forward; negative is back.
    package var stepped: Int64 = 0

    package init(slept: Int64 = 0, late: Int64 = 0, stepped: Int64 = 0) {
      self.slept = slept
      self.late = late
      self.stepped = stepped
    }
  }

  /// What two readings at one point may differ by without meaning anything, in nanoseconds.
  package static let readingError: Int64 = 1_000_000

  private var last: Readings

  /// Starts from a first look.
  package init(_ readings: Readings) { last = readings }

  /// Compares with the last look.
  ///
  /// - Parameters:
  ///   - readings: what the clocks read now.
  ///   - clockWasSet: whether the system has said that somebody set the wall clock, so that no part of a
  ///     difference is taken for slewing.
  ///   - wait: the wait that has just ended, if there was one since.
  package mutating func look(_ readings: Readings, clockWasSet: Bool = false, after wait: Wait? = nil)
    -> Findings
  {
    let suspending = readings.suspending.subtractingSaturated(last.suspending)
    let continuous = readings.continuous.subtractingSaturated(last.continuous)
    let wall = readings.wall.subtractingSaturated(last.wall)
    var findings = Findings()
    let slept = continuous.subtractingSaturated(suspending)
    if slept > Self.readingError { findings.slept = slept }
    let step = wall.subtractingSaturated(continuous)
    // A kernel slews a clock by 500 ppm at most; whether a difference within that is slewing or a small step,
    // only the system could say, and after a sleep it says so without a step.
    let isCertain = clockWasSet && findings.slept == 0
    let slewing = isCertain ? 0 : max(0, continuous) / 2000
    if step.magnitude > UInt64(slewing) + UInt64(Self.readingError) { findings.stepped = step }
    if let wait { findings.late = wait.lateness(at: readings, steppedBy: findings.stepped) }
    last = readings
    return findings
  }

  /// A wait that had instants at which to end.
  package struct Wait: Sendable {
    package var began: Readings
    package var deadlines: WaitDeadlines

    package init(began: Readings, deadlines: WaitDeadlines) {
      self.began = began
      self.deadlines = deadlines
    }

    /// How long after the earliest of its instants it ended, the machine being awake; at the least so long.
    func lateness(at ended: Readings, steppedBy step: Int64) -> Int64 {
      let onSuspending = Self.lateness(deadlines.suspending, began.suspending, ended.suspending)
      // The other two went on in a sleep, for which the loop is not to blame.
      let slept = max(0, (ended.continuous &- began.continuous) &- (ended.suspending &- began.suspending))
      let onContinuous = Self.lateness(deadlines.continuous, began.continuous, ended.continuous)
      // Of a wall that was set nobody knows when it came to its instant.
      let onWall = step == 0 ? Self.lateness(deadlines.wall, began.wall, ended.wall) : 0
      return max(onSuspending, max(onContinuous, onWall) - slept)
    }

    private static func lateness(_ deadline: Int64, _ began: Int64, _ ended: Int64) -> Int64 {
      deadline == .max ? 0 : max(0, ended.subtractingSaturated(max(deadline, began)))
    }
  }
}
