import FoundationEssentials
import LoopCore

/// A recorded run of frames, and the pictures and tables of it.
///
/// ```swift
/// var report = FrameReport(title: "The ball")
/// loop.onEachFrame { frame in
///   report.record(frame)
///   draw()
/// }
/// ```
///
/// Recording appends to a list with room for `capacity` frames from the start. The picture shows the time between
/// frames and their lateness over time and as histograms, with hitches marked, in one file that needs no other.
public struct FrameReport: Sendable {
  /// One frame, in nanoseconds of the suspending clock.
  struct Sample: Sendable {
    var timestamp: Int64
    var target: Int64
    var wake: Int64
    var missed: Int
    /// How long after it had been promised the frame came.
    var hitch: Int64
    var startsAnew: Bool

    var lateness: Int64 { wake &- timestamp }
  }

  /// What stands above the picture.
  public var title: String
  private(set) var samples: [Sample] = []

  /// Makes an empty report.
  ///
  /// - Parameters:
  ///   - title: What stands above the picture.
  ///   - capacity: For how many frames room is made at once; more find room as they come.
  public init(title: String = "Frames", capacity: Int = 4_096) {
    self.title = title
    samples.reserveCapacity(max(0, capacity))
  }

  /// Takes in a frame; all must be of one link, in their order.
  public mutating func record(_ frame: Frame) {
    let hitch = frame.hitch(expected: samples.last?.target)
    samples.append(
      Sample(
        timestamp: frame.timestamp.nanoseconds, target: frame.target.nanoseconds,
        wake: frame.stamp.wakeInstant.nanoseconds, missed: frame.missed, hitch: hitch,
        startsAnew: frame.startsAnew))
  }

  /// How many frames have been recorded.
  public var frameCount: Int { samples.count }

  /// How many of them came after the refresh for which they had been promised.
  public var hitches: Int { samples.reduce(0) { $0 + ($1.hitch > 0 ? 1 : 0) } }

  /// How many frames were missed.
  public var missedFrames: Int { samples.reduce(0) { $0 + $1.missed } }

  /// The time between each frame and the one before, in nanoseconds; nil for those that start anew.
  var intervals: [Int64?] {
    var intervals: [Int64?] = []
    intervals.reserveCapacity(samples.count)
    for (index, sample) in samples.enumerated() {
      let follows = index > 0 && !sample.startsAnew
      intervals.append(follows ? sample.wake &- samples[index - 1].wake : nil)
    }
    return intervals
  }

  /// Writes the picture and the table to two files beside each other: `path` with `.svg` and with `.csv`.
  ///
  /// - Throws: What the file system says.
  public func write(to path: String) throws {
    try Data(svg.utf8).write(to: URL(filePath: path + ".svg"))
    try Data(csv.utf8).write(to: URL(filePath: path + ".csv"))
  }

  /// The frames as a table: times in nanoseconds, counted from the first frame's timestamp.
  ///
  /// The columns are the frame's number, its timestamp, its target, when its pass woke, how late that was, how many
  /// frames were missed before it and by how much it was a hitch.
  public var csv: String {
    var text = "frame,timestamp_ns,target_ns,wake_ns,late_ns,missed,hitch_ns\n"
    let origin = samples.first?.timestamp ?? 0
    for (index, sample) in samples.enumerated() {
      text += "\(index + 1),\(sample.timestamp - origin),\(sample.target - origin),\(sample.wake - origin),"
      text += "\(sample.lateness),\(sample.missed),\(sample.hitch)\n"
    }
    return text
  }
}
