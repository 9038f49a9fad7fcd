import LoopCore

/// Calls many periodic jobs from one timer: each every so many ticks.
///
/// The ticks are a grid of instants on the suspending clock, by default sixty a second, that never drifts. Each job has
/// a period in ticks and a phase; jobs that are due at one tick are called in one pass, in the order of adding. The loop
/// wakes only for ticks at which a job is due, and not at all while there is none.
///
/// ```swift
/// loop.ticks.add("blink", every: 30) { _ in cursor.toggle() }
/// loop.ticks.add("poll", every: 300) { _ in poll() }
/// loop.ticks.cancel("blink")
/// ```
///
/// Jobs may add, cancel and replace jobs, themselves among them: what was cancelled is not called any more, what was
/// added is first called at a later tick. After a stall each job is called once and told how many of its turns it
/// missed. With jobs it lives in its loop; dropping the reference changes nothing. It belongs to the thread that made
/// it, which is its loop's.
public final class TickScheduler {
  /// What a job is told.
  public struct Tick: Sendable {
    /// The number of the tick, counted from the making of the scheduler.
    public let number: Int64
    /// How many of the job's turns have passed without a call since the last call.
    public let missed: Int
    /// The stamp of the pass.
    public let stamp: Loop.Stamp
  }

  private let loop: Loop
  private let mode: Loop.Mode
  private let grid: TickGrid
  private let fileID: StaticString
  private let line: UInt
  /// Jobs by the number of the tick at which they are due next.
  private var queue = TimerQueue()
  private var jobs: [AnyHashable: Job] = [:]
  private var lastAge: UInt64 = 0
  private var item: Loop.Appointment?
  private var due: [DueTimer] = []
  private var isCalling = false

  /// Makes a scheduler of so many ticks a second.
  ///
  /// - Parameters:
  ///   - ticksPerSecond: At least 1; sixty are sixtieths of a second, exactly.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public convenience init(
    ticksPerSecond: Int = 60, in mode: Loop.Mode = .common, on loop: Loop? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    precondition(
      (1...1_000_000_000).contains(ticksPerSecond), "there can't be \(ticksPerSecond) ticks in a second")
    self.init(
      span: 1_000_000_000, divisor: Int64(ticksPerSecond), mode: mode, loop: loop, fileID: fileID, line: line)
  }

  /// Makes a scheduler with a tick of any length.
  ///
  /// - Parameters:
  ///   - tick: How far apart the ticks are; at least a nanosecond.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public convenience init(
    tick: Duration, in mode: Loop.Mode = .common, on loop: Loop? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    precondition(tick > .zero, "a tick can't be \(tick) long")
    self.init(
      span: tick.clampedNanoseconds, divisor: 1, mode: mode, loop: loop, fileID: fileID, line: line)
  }

  private init(
    span: Int64, divisor: Int64, mode: Loop.Mode, loop: Loop?, fileID: StaticString, line: UInt
  ) {
    self.loop = loop ?? Loop.here
    self.loop.checkThread()
    self.mode = mode
    self.fileID = fileID
    self.line = line
    grid = TickGrid(origin: self.loop.backend.now(.suspending), span: span, divisor: divisor)
  }

  // MARK: Jobs

  /// How many jobs there are.
  public var count: Int {
    loop.checkThread()
    return jobs.count
  }

  /// Whether there is no job, and so no wake-up.
  public var isEmpty: Bool { count == 0 }

  /// The number of the last tick that has come, by the true time.
  public var currentTick: Int64 {
    loop.checkThread()
    return grid.tick(atOrBefore: loop.backend.now(.suspending))
  }

  /// Whether there is a job under an id.
  public func contains(_ id: some Hashable) -> Bool {
    loop.checkThread()
    return jobs[AnyHashable(id)] != nil
  }

  /// Adds a job, in place of the one that had its id.
  ///
  /// So what is added twice runs once.
  /// - Parameters:
  ///   - id: What `cancel(_:)` knows it by.
  ///   - period: How many ticks lie between its calls; at least 1.
  ///   - phase: The remainder of the numbers of its ticks, divided by the period; jobs of equal period and phase are
  ///     called in one pass, others apart. Nil is chosen so that the first call comes `period` ticks from now.
  ///   - body: Called with the tick.
  /// - Precondition: The period is positive.
  public func add(
    _ id: some Hashable, every period: Int, phase: Int? = nil, _ body: @escaping (Tick) -> Void
  ) {
    insert(Job(id: AnyHashable(id), period: checked(period), owner: nil, body: body), phase: phase)
  }

  /// Adds a job that does not keep its owner alive and ends with it, in place of the one that had its id.
  ///
  /// - Parameters:
  ///   - id: What `cancel(_:)` knows it by.
  ///   - period: How many ticks lie between its calls; at least 1.
  ///   - phase: The remainder of the numbers of its ticks, divided by the period.
  ///   - owner: Held weakly; the job is dropped at its next turn after the owner's death.
  ///   - body: Called with the owner and the tick.
  /// - Precondition: The period is positive.
  public func add<Owner: AnyObject>(
    _ id: some Hashable, every period: Int, phase: Int? = nil, owner: Owner,
    _ body: @escaping (Owner, Tick) -> Void
  ) {
    let job = Job(id: AnyHashable(id), period: checked(period), owner: owner) { [weak owner] tick in
      if let owner { body(owner, tick) }
    }
    insert(job, phase: phase)
  }

  /// Cancels a job and lets go of its closure.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func cancel(_ id: some Hashable) -> Bool {
    loop.checkThread()
    guard let job = jobs[AnyHashable(id)] else { return false }
    end(job)
    schedule()
    return true
  }

  /// Cancels all jobs.
  public func cancelAll() {
    loop.checkThread()
    for job in jobs.values { end(job) }
    schedule()
  }

  // MARK: Inside

  private func checked(_ period: Int) -> Int64 {
    precondition(period >= 1, "a job can't be called every \(period) ticks")
    return Int64(period)
  }

  private func insert(_ job: Job, phase: Int?) {
    loop.checkUsable("add a job")
    if let earlier = jobs[job.id] { end(earlier) }
    jobs[job.id] = job
    lastAge += 1
    job.age = lastAge
    let current = currentTick
    let first =
      phase.map { Grid(origin: Int64($0), interval: job.period).beat(after: current) }
      ?? saturatingAdd(current, job.period)
    enqueue(job, at: first)
    schedule()
  }

  private func enqueue(_ job: Job, at tick: Int64) {
    job.slot = queue.insert(
      deadline: tick, tolerance: 0, age: job.age,
      payload: UInt(bitPattern: Unmanaged.passUnretained(job).toOpaque()))
  }

  private func end(_ job: Job) {
    if job.slot >= 0 { queue.remove(job.slot) }
    job.slot = -1
    job.body = nil
    if jobs[job.id] === job { jobs[job.id] = nil }
  }

  /// Calls what is due, in a pass.
  private func act(at now: Int64) {
    let tick = grid.tick(atOrBefore: now)
    isCalling = true
    due.removeAll(keepingCapacity: true)
    queue.popDue(now: tick, into: &due)
    // Held for the length of the turn, since one of them may end another.
    let turn = due.map { entry in
      // The queue holds only jobs that `jobs` keeps alive.
      let pointer = UnsafeRawPointer(bitPattern: entry.payload)!
      let job = Unmanaged<Job>.fromOpaque(pointer).takeUnretainedValue()
      job.slot = -1
      return (job: job, due: entry.deadline)
    }
    for entry in turn { call(entry.job, due: entry.due, at: tick) }
    isCalling = false
    schedule()
  }

  private func call(_ job: Job, due: Int64, at tick: Int64) {
    guard let body = job.body else { return }
    if job.isOwnerGone {
      end(job)
      return
    }
    let next = MissedBeats.skip.next(after: due, interval: job.period, now: tick)
    enqueue(job, at: next.deadline)
    body(Tick(number: tick, missed: next.missed, stamp: loop.currentStamp))
  }

  /// Sets the next wake-up, or goes out of the loop where there is no job.
  private func schedule() {
    if isCalling { return }
    if jobs.isEmpty {
      item?.invalidate()
      item = nil
      return
    }
    let earliest = queue.earliestDeadline
    let item = item ?? makeItem()
    item.move(to: earliest == .max ? .max : grid.instant(of: earliest))
  }

  private func makeItem() -> Loop.Appointment {
    let item = Loop.Appointment("tick scheduler", for: loop, clock: .suspending, fileID: fileID, line: line) {
      now in self.act(at: now)
    }
    self.item = item
    loop.add(item, forMode: mode)
    return item
  }

  private final class Job {
    let id: AnyHashable
    let period: Int64
    private weak var owner: AnyObject?
    private let hasOwner: Bool
    var body: ((Tick) -> Void)?
    /// Its place in the queue, -1 for none.
    var slot: Int32 = -1
    var age: UInt64 = 0

    init(id: AnyHashable, period: Int64, owner: AnyObject?, body: @escaping (Tick) -> Void) {
      self.id = id
      self.period = period
      self.owner = owner
      hasOwner = owner != nil
      self.body = body
    }

    var isOwnerGone: Bool { hasOwner && owner == nil }
  }
}

extension Loop {
  private enum SharedTicks: Key {
    typealias Value = TickScheduler
  }

  /// The scheduler that everybody on this loop shares: sixty ticks a second, in the common modes.
  ///
  /// Loop's thread only.
  public var ticks: TickScheduler {
    if let ticks = self[SharedTicks.self] { return ticks }
    let ticks = TickScheduler(on: self)
    self[SharedTicks.self] = ticks
    return ticks
  }
}
