import LoopCore
import LoopPlatform

// Sendable is unchecked because `item` and `state` are guarded by `lock`, and everything else checks that it is used on
// the countdown's own thread.
/// Counts down to nothing, telling each value once: `60, 59, … 1, 0`.
///
/// ```swift
/// let countdown = Countdown(.seconds(60)) { reading in
///   print("resend in \(reading.text(.seconds))")
/// } onFinish: {
///   print("resend")
/// }
/// countdown.start()
/// ```
///
/// It ticks where what is shown changes: on the boundaries of the *remaining* time. So a display shows no value twice
/// and skips none while the loop keeps up; after a stall it shows the right one at once. It is over exactly once and
/// never early, and however long it runs, no error adds up.
///
/// The first value is told inside `start()`. Once started it lives in its loop until it is over or cancelled; dropping
/// the reference changes nothing. `cancel()` and `state` may be used from any thread, everything else on the thread
/// that made it, which is its loop's.
public final class Countdown: @unchecked Sendable {
  /// What a countdown is doing.
  public enum State: Hashable, Sendable {
    /// It has not been started.
    case idle
    /// It counts.
    case running
    /// It stands and can be resumed.
    case paused
    /// It has come to its end.
    case finished
    /// It was cancelled, or its owner has died.
    case cancelled
  }

  /// When it looks whether what is shown has changed.
  public enum Pace {
    /// On the boundaries of the remaining time, which is when it changes.
    case boundaries
    /// With each frame of a frame link of its own, for resolutions that no display keeps up with, and when nothing
    /// remains. The clock says when the display refreshes; nil is the loop's.
    case frames(FrameClock?)
  }

  /// Where it ends.
  enum End {
    case after(Int64)
    case date(DatedInstant)
  }

  private let threadID: Int32
  private let loop: Loop
  private let mode: Loop.Mode
  private let clock: CountdownClock
  private let units: RemainingUnits
  private let length: End
  private let onTick: (CountdownReading) -> Void
  private let onFinish: () -> Void
  private weak var owner: AnyObject?
  private let hasOwner: Bool
  private let fileID: StaticString
  private let line: UInt

  /// When it looks whether what is shown has changed; from the next start on.
  public var pace = Pace.boundaries {
    willSet { checkThread() }
  }
  /// What calls it with each frame, while it has been started with that pace.
  private weak var link: FrameLink?

  private let lock = Lock()
  /// Protected by `lock`.
  private var item: Loop.Appointment?
  /// Protected by `lock`.
  private var currentState = State.idle

  /// The reading of the clock at the end.
  private var end: Int64 = .max
  /// What remains while it is paused.
  private var remainder: Int64 = 0
  /// The reading of the clock below which no now counts: a pass's now may be older than the start within it.
  private var earliest: Int64 = .min
  /// The count that was told last, nil before the first of a start.
  private var told: Int64?
  /// Grows with each start.
  private var startNumber = 0
  private var isTelling = false
  private var mustTellAgain = false

  init(
    _ length: End, _ resolution: Duration, _ clock: CountdownClock, _ mode: Loop.Mode, _ loop: Loop?,
    owner: AnyObject?, _ fileID: StaticString, _ line: UInt, onFinish: @escaping () -> Void,
    onTick: @escaping (CountdownReading) -> Void
  ) {
    precondition(resolution > .zero, "a countdown can't have a resolution of \(resolution)")
    self.length = length
    units = RemainingUnits(resolution: resolution.clampedNanoseconds)
    if case .date = length { self.clock = clock } else { self.clock = clock.forDurations }
    self.mode = mode
    self.loop = loop ?? Loop.here
    self.owner = owner
    hasOwner = owner != nil
    self.fileID = fileID
    self.line = line
    self.onTick = onTick
    self.onFinish = onFinish
    threadID = Loop.threadHere
    self.loop.checkThread()
  }

  // MARK: Asking

  /// What it is doing.
  ///
  /// Any thread.
  public var state: State {
    let state = lock.withLock { currentState }
    return hasOwner && owner == nil && (state == .running || state == .paused) ? .cancelled : state
  }

  /// What it shows now; by the true time, not by the pass's.
  public var reading: CountdownReading {
    checkThread()
    switch state {
    case .running: return CountdownReading(units, at: clock.now(in: loop), until: end)
    case .paused: return CountdownReading(units, at: 0, until: remainder)
    case .finished: return CountdownReading(units, at: 0, until: 0)
    case .idle, .cancelled:
      switch length {
      case .after(let duration): return CountdownReading(units, at: 0, until: duration)
      case .date(let date):
        return CountdownReading(
          units, at: clock.now(in: loop), until: clock.reading(at: date, in: loop))
      }
    }
  }

  /// What remains exactly, by the true time; never negative.
  public var remaining: Duration { reading.remaining }

  // MARK: Driving

  /// Starts it, from the beginning if it has been started before.
  ///
  /// The first value is told before this returns; called from its own `onTick`, right after that returns. A second
  /// start is a restart: nothing of the first goes on. Its `onFinish` comes in a later pass at the earliest.
  public func start() {
    checkThread()
    endItem()
    startNumber += 1
    told = nil
    let now = clock.now(in: loop)
    earliest = now
    switch length {
    case .after(let duration): end = saturatingAdd(now, duration)
    case .date(let date): end = clock.reading(at: date, in: loop)
    }
    let item = makeItem()
    lock.withLock {
      self.item = item
      currentState = .running
    }
    loop.add(item, forMode: mode)
    guard item.isValid else {
      lock.withLock { currentState = .cancelled }
      return
    }
    tell(at: now)
  }

  /// Has it stand until it is resumed; what remains is kept to the nanosecond.
  ///
  /// On one that does not run it changes nothing.
  public func pause() {
    checkThread()
    guard state == .running else { return }
    remainder = max(0, saturatingSubtract(end, clock.now(in: loop)))
    lock.withLock { if currentState == .running { currentState = .paused } }
    schedule()
  }

  /// Goes on with what remained when it was paused.
  ///
  /// On one that is not paused it changes nothing.
  public func resume() {
    checkThread()
    guard state == .paused else { return }
    let now = clock.now(in: loop)
    earliest = now
    end = saturatingAdd(now, remainder)
    lock.withLock { if currentState == .paused { currentState = .running } }
    tell(at: now)
  }

  /// Adds to what remains, or takes from it where negative; the new value is told at once if it differs.
  ///
  /// On one that neither runs nor is paused it changes nothing.
  public func add(_ duration: Duration) {
    checkThread()
    let nanoseconds = duration.clampedNanoseconds
    switch state {
    case .running:
      end = saturatingAdd(end, nanoseconds)
      let now = clock.now(in: loop)
      earliest = max(earliest, now)
      tell(at: now)
    case .paused:
      remainder = max(0, saturatingAdd(remainder, nanoseconds))
      tell(at: 0)
    case .idle, .finished, .cancelled: break
    }
  }

  /// Ends it without its `onFinish`; it can be started again.
  ///
  /// Any thread. No call starts after it returns; it never waits for one that runs.
  public func cancel() {
    let item = lock.withLock {
      if currentState == .running || currentState == .paused { currentState = .cancelled }
      defer { self.item = nil }
      return self.item
    }
    item?.invalidate()
  }

  // MARK: Inside

  private func checkThread() {
    let here = Loop.threadHere
    precondition(
      here == threadID,
      "a countdown of thread \(threadID) was used on thread \(here); only cancel() and state may be used there"
    )
  }

  /// Makes what stands for this start in the loop; it holds the countdown as long as it is there.
  private func makeItem() -> Loop.Appointment {
    let item = Loop.Appointment(
      "countdown", for: loop, clock: clock.underlying.domain, fileID: fileID, line: line
    ) { now in self.act(at: self.clock.reading(at: now)) }
    if let owner { item.bind(to: owner) }
    let endObserving = clock.observeChanges(in: loop) { [weak self] in self?.clockChanged() }
    let link = makeLink()
    item.onEnd = {
      endObserving()
      link?.invalidate()
    }
    return item
  }

  private func makeLink() -> FrameLink? {
    guard case .frames(let frameClock) = pace else { return nil }
    let link = FrameLink(clock: frameClock, fileID: fileID, line: line) { [weak self] _ in
      guard let self else { return }
      act(at: clock.reading(at: loop.now(of: clock.underlying.domain)))
    }
    // What is there for the end keeps the loop alive as long as it takes.
    link.keepsLoopAlive = false
    loop.add(link, forMode: mode)
    self.link = link
    return link
  }

  private func endItem() {
    let item = lock.withLock {
      defer { self.item = nil }
      return self.item
    }
    item?.invalidate()
  }

  /// Sets the next boundary, if there is one to wait for.
  private func schedule() {
    guard let item = lock.withLock({ item }) else { return }
    let isRunning = state == .running
    link?.isPaused = !isRunning
    guard isRunning else {
      item.move(to: .max)
      return
    }
    let isOver = told == 0 || link != nil
    item.move(to: clock.wakeInstant(for: isOver ? end : units.boundary(below: told ?? 0, until: end)))
  }

  private func clockChanged() {
    guard state == .running else { return }
    earliest = .min
    // In the pass in which it is due the values follow by themselves.
    lock.withLock { item }?.move(to: .min)
  }

  /// Does what is due in a pass.
  private func act(at now: Int64) {
    guard state == .running else { return }
    let start = startNumber
    let now = max(now, earliest)
    tell(at: now)
    guard startNumber == start, state == .running else { return }
    if now >= end { finish() }
  }

  private func finish() {
    let item = lock.withLock {
      guard currentState == .running else { return nil as Loop.Appointment? }
      currentState = .finished
      defer { self.item = nil }
      return self.item
    }
    guard let item else { return }
    item.invalidate()
    onFinish()
  }

  /// Tells the present value unless it was told last, and sets the next boundary.
  ///
  /// No handler is called inside itself: what it changes is told when it has returned.
  private func tell(at now: Int64) {
    if isTelling {
      mustTellAgain = true
      return
    }
    isTelling = true
    defer {
      isTelling = false
      schedule()
    }
    var now = now
    repeat {
      mustTellAgain = false
      let state = state
      guard state == .running || state == .paused else { return }
      let reading =
        state == .paused
        ? CountdownReading(units, at: 0, until: remainder)
        : CountdownReading(units, at: max(now, earliest), until: end)
      if reading.count != told {
        told = reading.count
        onTick(reading)
      }
      if mustTellAgain { now = clock.now(in: loop) }
    } while mustTellAgain
  }
}
