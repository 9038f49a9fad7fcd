import LoopCore
import LoopPlatform

// Sendable is unchecked for the same reasons as that of `Loop.Item`.
/// Calls a handler for each frame of a display: the heartbeat of what draws.
///
/// As `CADisplayLink`. Frames come last in a pass, so that a frame is drawn with everything that arrived with it.
/// A link is called once for a refresh at most, however late the loop is: what was missed is counted, and never
/// made up for. It acts in the modes that it is in, lives in its loop until it is invalidated or its target dies,
/// and keeps its loop alive.
///
/// ```swift
/// let link = FrameLink { frame in
///   scene.draw(at: frame.target)
/// }
/// link.add(to: .main, forMode: .common)
/// ```
///
/// `invalidate()`, `isValid` and `isPaused` may be used from any thread, everything else only on the thread that
/// made the link.
public final class FrameLink: Loop.DatedItem, @unchecked Sendable {
  /// The handler in the shape in which it was given.
  enum Handler {
    case released
    case frame((Frame) -> Void)
    case owned((AnyObject, Frame) -> Void)
  }

  private var handler: Handler
  /// Nil until the link is added, if it goes by the loop's clock.
  private(set) var frameClock: FrameClock?
  private var isAttached = false

  // What was asked for; see the control file.
  var rateWish = RateWish.preference(FrameRateRange.default.preference)
  var rateRange = FrameRateRange.default
  var pacingWish = FramePacing.timer
  var restsWhenIdle = false
  var isFrameRequested = false

  // What comes next.
  /// The refresh that the next frame is due at.
  private var due: Int64 = 0
  /// When it was determined.
  private var armedAt: Int64 = 0
  /// Whether there was no frame just before the next one.
  private var startsAnew = true
  /// Frames that have passed while the last handler ran.
  private var overrun = 0

  // What was last.
  private(set) var served: Int64?
  private(set) var lastTimestamp: Int64 = .min
  private(set) var lastTarget: Int64 = .min
  private(set) var frames = 0
  private(set) var missed = 0

  /// Makes a link that calls a closure.
  ///
  /// - Parameters:
  ///   - clock: What says when the display refreshes; nil is the clock of the loop that it is added to.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - handler: Called with each frame, until the link ends, which lets go of it.
  public convenience init(
    clock: FrameClock? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    handler: @escaping (Frame) -> Void
  ) {
    self.init(
      clock: clock, handler: .frame(handler), threadID: Loop.threadHere, fileID: fileID, line: line)
  }

  /// Makes a link that works for an object, which it does not keep alive and with which it ends.
  ///
  /// - Parameters:
  ///   - target: Held weakly.
  ///   - clock: What says when the display refreshes; nil is the clock of the loop that it is added to.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - handler: Called with the target and each frame.
  public convenience init<Target: AnyObject>(
    target: Target, clock: FrameClock? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    handler: @escaping (Target, Frame) -> Void
  ) {
    // The target is the one that is bound on the next line, whatever its static type.
    let owned: (AnyObject, Frame) -> Void = { handler(unsafeDowncast($0, to: Target.self), $1) }
    self.init(
      clock: clock, handler: .owned(owned), threadID: Loop.threadHere, fileID: fileID, line: line)
    bind(to: target)
  }

  init(
    clock: FrameClock?, handler: Handler, threadID: Int32, fileID: StaticString, line: UInt
  ) {
    frameClock = clock
    self.handler = handler
    // The deadline is set at each adding, so it never has to be carried over from one loop's clocks to another's.
    super.init(
      deadline: .max, clock: .suspending, timeBase: 0, threadID: threadID, fileID: fileID, line: line)
    local.insert(.isFramePaced)
  }

  override var kindName: String { "frame link" }

  override func releaseHandlers() {
    handler = .released
  }

  // MARK: Modes

  override func join(_ record: ModeRecord) {
    if let loop, !isAttached {
      isAttached = true
      let clock = frameClock ?? loop.frameClock
      frameClock = clock
      clock.attach(self, loop: loop)
      loop.frameLinks.append(self)
      served = nil
      startAnew()
    }
    super.join(record)
  }

  override func leave(_ record: ModeRecord) {
    super.leave(record)
    guard isAttached, memberships.count == 1 else { return }
    isAttached = false
    frameClock?.detach(self)
    loop?.frameLinks.removeAll { $0 === self }
  }

  override func pauseChanged() {
    if !isPaused { startAnew() }
    requeue()
  }

  // MARK: The next frame

  /// How many refreshes make one frame.
  var divisor: Int64 { rateWish.divisor(displayRate: frameClock?.hertz ?? 60) }

  /// Whether frames are to come at all.
  var wantsFrame: Bool { !isPaused && !isEnded && (!restsWhenIdle || isFrameRequested) }

  /// Whether the next frame waits for the clock's word.
  var waitsForTick: Bool { wantsFrame && deadline == .max && !local.contains(.isOnStack) }

  /// Determines the next frame after a pause, a rest or a change of plan: the first refresh still to come.
  func startAnew() {
    startsAnew = true
    arm()
  }

  /// Determines the next frame.
  ///
  /// The present is read anew: while a handler ran, refreshes may have passed, and the frame is for the first that
  /// has not.
  func arm() {
    guard let loop, let frameClock else { return }
    let now = loop.backend.now(.suspending)
    armedAt = now
    overrun = 0
    guard wantsFrame else {
      deadline = .max
      if restsWhenIdle { startsAnew = true }
      return
    }
    let coming = frameClock.refresh(atOrAfter: startsAnew ? saturatingAdd(now, 1) : now)
    if let served {
      let planned = served + divisor
      due = max(planned, coming)
      if !startsAnew { overrun = Int(clamping: (due - planned) / divisor) }
    } else {
      due = coming
    }
    deadline = frameClock.deadline(of: due, now: now)
  }

  /// Takes note of a refresh that the clock was told of.
  func refreshCame(_ refresh: Int64, told arrival: Int64, isEarly: Bool) {
    guard waitsForTick, let frameClock else { return }
    if isEarly {
      // The display runs ahead of itself: the frame goes by what is known of it.
      due = max(served.map { $0 + divisor } ?? refresh, refresh)
    } else {
      let planned = served.map { $0 + divisor } ?? refresh
      guard refresh >= due || (refresh >= planned && arrival >= armedAt) else { return }
      due = refresh
    }
    deadline = frameClock.instant(of: due)
    requeue()
  }

  // MARK: Serving

  override func serveDue(in loop: Loop, run: Loop.Run) {
    collectedIn = 0
    // Put back by a nested run and not served there.
    if membership.slot >= 0 { dequeue() }
    if isTargetGone {
      endNow()
      return
    }
    guard let frameClock else { return }
    let frame = nextFrame(at: loop.currentStamp, of: frameClock)
    isFrameRequested = false
    call(frame)
    if isTargetGone { return endNow() }
    if isEnded || !isAttached { return }
    arm()
    enqueue()
  }

  override func skipDue(in loop: Loop) {
    collectedIn = 0
    // Another thread has paused it and its word is still on the way, so that the queue keeps it as paused; or it
    // has left the modes of the run and waits in others.
    enqueue()
  }

  private func nextFrame(at stamp: Loop.Stamp, of frameClock: FrameClock) -> Frame {
    let now = stamp.wakeInstant.nanoseconds
    let divisor = divisor
    let refresh = max(frameClock.refresh(servedAt: now), served.map { $0 + 1 } ?? .min)
    let passed = max(0, refresh - due) / divisor
    let missedNow = startsAnew && frames == 0 ? 0 : Int(clamping: passed) + overrun
    // A clock that is told may take back what it had said: what frames are told rises nevertheless.
    let timestamp = max(min(frameClock.instant(of: refresh), now), lastTimestamp.addingSaturated(1))
    var target = frameClock.instant(of: refresh + divisor)
    if frameClock.rate == nil { target = max(target, lastTarget.addingSaturated(1)) }
    served = refresh
    lastTimestamp = timestamp
    lastTarget = target
    frames += 1
    missed += missedNow
    let anew = startsAnew
    startsAnew = false
    return Frame(
      number: frames, timestamp: Loop.Instant(nanoseconds: timestamp),
      target: Loop.Instant(nanoseconds: target), duration: .nanoseconds(frameClock.interval),
      missed: missedNow, startsAnew: anew, stamp: stamp, link: self)
  }

  private func call(_ frame: Frame) {
    local.insert(.isOnStack)
    defer { local.remove(.isOnStack) }
    switch handler {
    case .released: break
    case .frame(let body): body(frame)
    case .owned(let body): if let target = extras?.target.object { body(target, frame) }
    }
  }
}
