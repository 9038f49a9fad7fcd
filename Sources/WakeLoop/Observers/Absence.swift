extension Loop {
  /// What happened to a loop while it was away: how long it was, and why.
  ///
  /// Told apart by the differences of three clocks. Sleep moves the continuous clock and leaves the suspending one
  /// behind; a setting of the clock moves the wall alone; a stopped process shows in a wake-up that came late.
  public struct Absence: Hashable, Sendable {
    /// One thing that happened.
    public enum Cause: Hashable, Sendable {
      /// The machine slept so long.
      case machineSlept(Duration)
      /// The process was stopped, or kept from running, so long at least, while the machine was awake.
      case processStopped(Duration)
      /// Somebody set the wall clock forward by so much, or back where negative.
      case clockStepped(by: Duration)
    }

    /// How long the machine slept; zero if it did not.
    public internal(set) var slept: Duration = .zero
    /// How long the process was stopped or kept from running at least, beyond the wake-up that it missed.
    public internal(set) var stopped: Duration = .zero
    /// By how much the wall clock was set forward; negative is back, zero is not at all.
    public internal(set) var clockStep: Duration = .zero

    /// How long the loop was away: asleep or stopped.
    public var duration: Duration { slept + stopped }

    /// What happened, one or more of the three.
    public var causes: [Cause] {
      var causes: [Cause] = []
      if slept != .zero { causes.append(.machineSlept(slept)) }
      if stopped != .zero { causes.append(.processStopped(stopped)) }
      if clockStep != .zero { causes.append(.clockStepped(by: clockStep)) }
      return causes
    }

    var isNothing: Bool { self == Absence() }
  }
}

extension Loop.Absence: CustomStringConvertible {
  /// What happened, in words.
  public var description: String {
    causes.map { cause in
      switch cause {
      case .machineSlept(let time): "the machine slept for \(time)"
      case .processStopped(let time): "the process was stopped for \(time)"
      case .clockStepped(let step) where step < .zero: "the clock was set back by \(.zero - step)"
      case .clockStepped(let step): "the clock was set forward by \(step)"
      }
    }.joined(separator: ", ")
  }
}
