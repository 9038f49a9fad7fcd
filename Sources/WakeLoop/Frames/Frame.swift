import LoopCore

/// One frame: which refresh of the display it belongs to, and what went before.
///
/// Its times are instants of the suspending clock, comparable with the pass's `wakeInstant`.
public struct Frame: Sendable {
  /// How many frames the link has been called for, this one included.
  public let number: Int
  /// When the refresh was due that has called for this frame; never after the pass's `wakeInstant`.
  public let timestamp: Loop.Instant
  /// When the frame will be shown: the refresh at which the next one is due.
  public let target: Loop.Instant
  /// The time between two refreshes of the display, as at its highest rate.
  ///
  /// The frame's own time is `interval`.
  public let duration: Duration
  /// How many frames have passed since the last one without a call, or without a task that took them.
  public internal(set) var missed: Int
  /// Whether there was no frame just before it: the first one, and the first after a pause or a rest.
  public let startsAnew: Bool
  /// The stamp of the pass; everything that runs in the pass sees an equal one.
  public let stamp: Loop.Stamp
  /// The link that is called.
  public let link: FrameLink

  /// How long the frame is to be seen: from `timestamp` to `target`.
  public var interval: Duration { target - timestamp }

  /// How long after the refresh the pass woke; never negative.
  public var late: Duration { stamp.wakeInstant - timestamp }
}
