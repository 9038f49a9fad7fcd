import LoopCore

/// Tells how smoothly frames come: their rate, how long they take, and which were late.
///
/// Feed it every frame of one link. Recording allocates nothing; asking looks at all frames in the window. Rates and
/// times go by the frames' timestamps, so that they are right on a display of variable rate too. For one thread.
public final class FrameRateMonitor {
  /// What the frames of the window say.
  public struct Reading: Hashable, Sendable {
    /// How many frames were in the window.
    public let frames: Int
    /// Frames a second; 0 if there are not two.
    public let framesPerSecond: Double
    /// The time from frame to frame that half of them keep within.
    public let frameTime: Duration
    /// The time from frame to frame that 95 of 100 keep within.
    public let frameTime95: Duration
    /// The time from frame to frame that 99 of 100 keep within.
    public let frameTime99: Duration
    /// How late half of the frames were called at most, after their refresh.
    public let lateness: Duration
    /// How late 99 of 100 frames were called at most, after their refresh.
    public let lateness99: Duration
    /// How many frames came after the refresh for which they had been promised.
    public let hitches: Int
    /// By how many milliseconds a second frames came after the refresh for which they had been promised.
    public let hitchRatio: Double
  }

  private var window: FrameWindow
  private var expected: Int64?

  /// Makes a monitor that looks back over a time, and over so many frames at most.
  public init(window: Duration = .seconds(1), capacity: Int = 1_024) {
    precondition(window > .zero, "window is \(window): it holds no frame")
    precondition(capacity > 1, "capacity is \(capacity): a rate needs two frames")
    self.window = FrameWindow(length: window.clampedNanoseconds, capacity: capacity)
  }

  /// Takes in a frame.
  public func record(_ frame: Frame) {
    window.add(
      timestamp: frame.timestamp.nanoseconds, lateness: frame.late.clampedNanoseconds,
      hitch: frame.hitch(expected: expected), startsAnew: frame.startsAnew)
    expected = frame.target.nanoseconds
  }

  /// What the frames of the window say.
  ///
  /// - Complexity: O(n log n) in the number of frames.
  public var reading: Reading {
    let times = window.intervals(atQuantiles: [0.5, 0.95, 0.99])
    let lateness = window.lateness(atQuantiles: [0.5, 0.99])
    return Reading(
      frames: window.count, framesPerSecond: window.framesPerSecond,
      frameTime: .nanoseconds(times[0]), frameTime95: .nanoseconds(times[1]),
      frameTime99: .nanoseconds(times[2]), lateness: .nanoseconds(lateness[0]),
      lateness99: .nanoseconds(lateness[1]), hitches: window.hitches, hitchRatio: window.hitchRatio)
  }

  /// Frames a second, 0 if there are not two in the window.
  ///
  /// - Complexity: O(n) in the number of frames.
  public var framesPerSecond: Double { window.framesPerSecond }

  /// Forgets all frames.
  public func reset() {
    window.removeAll()
    expected = nil
  }
}

extension Frame {
  /// By how many nanoseconds it is after the refresh that the frame before had promised; 0 if nothing was missed.
  func hitch(expected: Int64?) -> Int64 {
    guard let expected, missed > 0, !startsAnew else { return 0 }
    return max(0, saturatingSubtract(timestamp.nanoseconds, expected))
  }
}
