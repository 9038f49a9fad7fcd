public import WakeLoop

/// A display in virtual time: refreshes when it should, and tells its frame clock when that asks.
///
/// ```swift
/// let display = VirtualDisplay(in: virtual, hz: 120)
/// virtual.loop.frameClock = display.clock
/// ```
///
/// All members are for the virtual loop's thread. It lives as long as somebody holds it.
public final class VirtualDisplay {
  private let virtual: VirtualLoop
  private let origin: Loop.Instant
  private var interval: Duration
  private var firstOfInterval: Loop.Instant
  private var isAsked = false
  private var generation = 0
  private var made: FrameClock?

  /// The interval that the display advertises, which may be wrong; at first the true one.
  public var advertisedInterval: Duration
  /// What is added to the times that the display tells of its refreshes; those are told at the true time.
  public var timestampError: Duration = .zero

  /// Makes a display that refreshes at an even rate from now on.
  ///
  /// - Parameters:
  ///   - virtual: whose time it goes by.
  ///   - hz: more than 0.
  public init(in virtual: VirtualLoop, hz: Double) {
    precondition(hz > 0, "hz is \(hz): a display refreshes at a rate above 0")
    self.virtual = virtual
    interval = .seconds(1) / hz
    advertisedInterval = interval
    origin = virtual.now
    firstOfInterval = origin
  }

  /// The clock for frame links.
  public var clock: FrameClock {
    if let made { return made }
    let clock = FrameClock.external(refresh: advertisedInterval) { [weak self] in self?.ask() }
    made = clock
    return clock
  }

  /// Whether the window is hidden, so that no refresh is told until it is shown again.
  public var isHidden = false {
    didSet {
      if isHidden { generation += 1 } else if oldValue, isAsked { tellNext() }
    }
  }

  /// Changes the rate from the next refresh on, and what is advertised with it.
  public func setRate(hz: Double) {
    precondition(hz > 0, "hz is \(hz): a display refreshes at a rate above 0")
    firstOfInterval = nextRefresh
    interval = .seconds(1) / hz
    advertisedInterval = interval
  }

  /// The first refresh that is still to come.
  public var nextRefresh: Loop.Instant {
    if firstOfInterval > virtual.now { return firstOfInterval }
    let passed = (virtual.now - firstOfInterval) / interval
    var next = firstOfInterval + interval * passed.rounded(.down)
    while next <= virtual.now { next += interval }
    return next
  }

  private func ask() {
    isAsked = true
    if !isHidden { tellNext() }
  }

  private func tellNext() {
    generation += 1
    let asked = generation
    let refresh = nextRefresh
    virtual.script(at: refresh) { [weak self] in
      guard let self, asked == generation else { return }
      isAsked = false
      clock.tick(at: refresh + timestampError, refresh: advertisedInterval)
    }
  }
}
