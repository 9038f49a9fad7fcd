import LoopCore

/// One pass, top to bottom as DESIGN draws it.
extension Loop {
  /// Goes through one pass of a run; returns how the run ends, nil if it goes on.
  func pass(_ run: Run) -> RunResult? {
    prepare(run)
    wait(run)
    act(run)
    return decide(run)
  }

  /// What a pass does once it has waited.
  func act(_ run: Run) {
    takeStamp()
    trace?.event(.stamped, item: nil, stamp: currentStamp)
    if let absences { tellAbsences(noticedBy: absences, in: run) }
    observe(.afterWaiting, in: run)
    collect(run)
    dispatch(run)
  }

  // MARK: Prepare

  func prepare(_ run: Run) {
    observe(.beforeTimers, in: run)
    observe(.beforeSources, in: run)
    sweepDeadTargets()
  }

  // MARK: Wait

  private func wait(_ run: Run) {
    observe(.beforeWaiting, in: run)
    look(run, mayBlock: true)
  }

  /// The wait itself, or a poll where something is to be done already or nobody wants to wait.
  func look(_ run: Run, mayBlock: Bool) {
    passSerial = passSerial == .max ? 1 : passSerial + 1
    run.lists.serial = passSerial
    takeMail(hasSlept: false)
    let anythingAsked = askSources(of: run)
    let isDue = anythingAsked || mustPoll(run) || run.isStopped
    let outcome = isDue || !mayBlock ? poll(run) : sleep(run)
    if !run.lists.events.isEmpty { note(run.lists.events, for: run) }
    if outcome != .nothing {
      if outcome.contains(.batchFull) { pollFurther(run) }
      if outcome.contains(.mainQueue) { mainQueueIsReady = true }
      if outcome.contains(.clocksSet) { absences?.clocksWereSet = true }
    }
    takeMail(hasSlept: true)
  }

  private func poll(_ run: Run) -> WaitOutcome {
    retiredWatches.removeAll(keepingCapacity: true)
    run.lists.events.removeAll(keepingCapacity: true)
    return backend.poll(mode: run.record.index, into: &run.lists.events)
  }

  /// The one blocking call.
  ///
  /// The backend tells the mailbox's waker before it sleeps: whoever raises a flag from then on wakes it.
  private func sleep(_ run: Run) -> WaitOutcome {
    var deadlines = nextDeadlines(of: run)
    let exact = deadlines.suspending
    let lead = frameLinks.isEmpty ? 0 : frameLead(deadlines, in: run)
    deadlines.suspending = saturatingSubtract(exact, lead)
    let outcome: WaitOutcome
    if hasPassed(deadlines) {
      outcome = poll(run)
    } else {
      if let absences { noteWait(until: deadlines, by: absences) }
      retiredWatches.removeAll(keepingCapacity: true)
      run.lists.events.removeAll(keepingCapacity: true)
      outcome = backend.wait(mode: run.record.index, until: deadlines, into: &run.lists.events)
      if outcome.contains(.onlyForeign) { mailbox.waker.blockUntilWoken() }
    }
    if lead > 0 && outcome.isEmpty && run.lists.events.isEmpty {
      spin(until: exact, from: deadlines.suspending)
    }
    return outcome
  }

  /// Waits out the rest of a wait that was ended early on purpose; one that was woken is let be.
  private func spin(until instant: Int64, from begin: Int64) {
    let now = backend.now(.suspending)
    if now >= begin && now < instant { backend.spin(until: instant) }
  }

  /// Polls until a poll adds nothing new, since the backend's batch was full.
  private func pollFurther(_ run: Run) {
    var more = true
    while more {
      let before = run.lists.sources.count
      let outcome = poll(run)
      note(run.lists.events, for: run)
      if outcome.contains(.mainQueue) { mainQueueIsReady = true }
      more = outcome.contains(.batchFull) && run.lists.sources.count > before
    }
  }

  /// Asks the sources that read ahead; those with something pending are served in this pass.
  private func askSources(of run: Run) -> Bool {
    let before = run.lists.sources.count
    forEachPending(in: run) { run.list($0) }
    return run.lists.sources.count > before
  }

  /// Asks the sources that read ahead, and names those that have something pending.
  func forEachPending(in run: Run, _ body: (Source) -> Void) {
    if run.record.askedSources.isEmpty && (!run.record.isCommon || common.askedSources.isEmpty) { return }
    var asked = run.record.askedSources
    if run.record.isCommon { asked += common.askedSources }
    for source in asked where source.isCallable && source.asksPending {
      if let question = source.isPendingQuestion, question() { body(source) }
    }
  }

  /// Whether something waits already, so that this pass must not sleep.
  func mustPoll(_ run: Run) -> Bool {
    if pollsNext {
      pollsNext = false
      return true
    }
    return !run.record.performs.isEmpty
      || (run.record.isCommon && !common.performs.isEmpty)
      || (mainQueueIsReady && servesMainQueue(run))
      || (!jobs.isEmpty && servesJobs(run))
      || (!signalled.isEmpty && signalled.contains { canServe($0, in: run) })
  }

  func nextDeadlines(of run: Run) -> WaitDeadlines {
    var deadlines = WaitDeadlines()
    run.record.narrow(&deadlines)
    if run.record.isCommon { common.narrow(&deadlines) }
    deadlines.suspending = min(deadlines.suspending, run.limit)
    deadlines.endsWhenClocksAreSet = absences != nil
    return deadlines
  }

  func hasPassed(_ deadlines: WaitDeadlines) -> Bool {
    if deadlines.suspending != .max && deadlines.suspending <= backend.now(.suspending) { return true }
    if deadlines.continuous != .max && deadlines.continuous <= backend.now(.continuous) { return true }
    return deadlines.wall != .max && deadlines.wall <= backend.now(.wall)
  }

  // MARK: Observe

  /// Tells the observers of one activity, by order, then by age.
  func observe(_ activity: Activity, in run: Run) {
    let record = run.record
    let inCommon = record.isCommon && common.observed.contains(activity)
    guard inCommon || record.observed.contains(activity) else { return }
    // A list of its own: observers may add and remove observers, and run the loop.
    var told = record.observers.filter { $0.activities.contains(activity) }
    if inCommon {
      told += common.observers.filter { $0.activities.contains(activity) }
      told.sort { ($0.order, $0.item.age) < ($1.order, $1.item.age) }
    }
    var last: Item?
    for entry in told {
      let item = entry.item
      // In both the mode and the common set it stands twice, side by side.
      if item === last || !item.isCallable || !item.isMember(of: run) { continue }
      last = item
      trace?.event(.observed, item: item, stamp: currentStamp)
      call(item) { item.observe(activity) }
    }
  }

  // MARK: Collect

  private func collect(_ run: Run) {
    takeMail(hasSlept: true)
    collectDue(in: run)
    if !signalled.isEmpty { collectSignalled(in: run) }
    run.lists.sortSources()
    collectPerforms(in: run)
    run.lists.servesMainQueue = mainQueueIsReady && servesMainQueue(run)
    collectJobs(in: run)
  }

  private func collectDue(in run: Run) {
    let lists = run.lists
    var queues = collectDue(from: run.record, into: lists)
    if run.record.isCommon { queues += collectDue(from: common, into: lists) }
    // Each queue hands out its own in order.
    if queues > 1 {
      lists.timers.sort { ($0.deadline, $0.age) < ($1.deadline, $1.age) }
      lists.frames.sort { ($0.deadline, $0.age) < ($1.deadline, $1.age) }
    }
  }

  /// Takes what is due out of a record's queues; returns how many of them had something.
  private func collectDue(from record: ModeRecord, into lists: PassLists) -> Int {
    var queues = collectDue(.suspending, from: record, into: lists)
    if record.usesOtherClocks {
      queues += collectDue(.continuous, from: record, into: lists)
      queues += collectDue(.wall, from: record, into: lists)
    }
    return queues
  }

  private func collectDue(_ clock: ClockDomain, from record: ModeRecord, into lists: PassLists) -> Int {
    let queue = record.queue(clock)
    if queue.earliestDeadline == .max { return 0 }
    let now = now(of: clock)
    let first = lists.timers.count
    queue.popDue(now: now, into: &lists.timers)
    if lists.timers.count == first { return 0 }
    var kept = first
    for entry in first..<lists.timers.count {
      var due = lists.timers[entry]
      let item = Item.unretained(due.payload)
      _ = Unmanaged.passRetained(item)
      item.collectedIn = lists.serial
      item.wasCollected(from: record)
      // Deadlines of different clocks meet on the suspending one.
      if clock != .suspending {
        due.deadline = saturatingAdd(due.deadline, currentReadings.suspending &- now)
      }
      if item.local.contains(.isFramePaced) {
        lists.frames.append(due)
      } else {
        lists.timers[kept] = due
        kept += 1
      }
    }
    lists.timers.removeLast(lists.timers.count - kept)
    return 1
  }

  /// The now of a clock in this pass.
  func now(of clock: ClockDomain) -> Int64 {
    switch clock {
    case .suspending: currentReadings.suspending
    case .wall: currentReadings.wall
    case .continuous: continuousNow
    }
  }

  /// The now of the continuous clock, read once in a pass and only if something there goes by it.
  var continuousNow: Int64 {
    guard let run = runs.last else { return backend.now(.continuous) }
    if run.continuousIteration != currentStamp.iteration {
      run.continuousIteration = currentStamp.iteration
      run.continuousNow = backend.now(.continuous)
    }
    return run.continuousNow
  }

  private func collectSignalled(in run: Run) {
    for source in signalled where canServe(source, in: run) { run.list(source) }
    signalled.removeAll { source in
      let stays =
        source.isSignalled && !source.isEnded && source.loop === self
        && source.collectedIn != run.lists.serial
      if !stays { source.local.remove(.isListed) }
      return !stays
    }
  }

  private func collectPerforms(in run: Run) {
    let lists = run.lists
    var sorts = run.record.performs.takeAll(into: &lists.performs)
    if run.record.isCommon && !common.performs.isEmpty {
      if lists.performs.isEmpty {
        sorts = common.performs.takeAll(into: &lists.performs)
      } else {
        _ = common.performs.appendAll(to: &lists.performs)
        sorts = true
      }
    }
    if sorts { lists.sortPerforms() }
  }

  // MARK: Dispatch

  private func dispatch(_ run: Run) {
    run.handledSource = false
    let lists = run.lists
    if lists.servesMainQueue { dispatchMainQueue(run) }
    if !lists.jobs.isEmpty { dispatchJobs(run) }
    if !lists.timers.isEmpty { dispatchTimers(run) }
    if !lists.sources.isEmpty { dispatchSources(run) }
    if !lists.performs.isEmpty || lists.performsWerePutBack { dispatchPerforms(run) }
    if !lists.frames.isEmpty { dispatchFrames(run) }
  }

  // MARK: Decide

  func decide(_ run: Run) -> RunResult? {
    precondition(
      hosted == nil || hosted?.depth != runs.count,
      "a guest that was made in a handler of its loop has to end in that handler")
    takeMail(hasSlept: false)
    if run.isStopped { return .stopped }
    if run.handledSource && run.returnsAfterSource { return .handledSource }
    if run.limit <= currentReadings.suspending { return .timedOut }
    if let condition = run.condition, !condition() { return .stopped }
    return isFinished(run.record) ? .finished : nil
  }
}

extension Loop {
  /// Whether a pass of the run may serve a source that is signalled.
  func canServe(_ source: Source, in run: Run) -> Bool {
    source.isSignalled && source.isCallable && source.isMember(of: run)
  }

  /// Whether a run serves the main queue: the main loop's in common modes, unless one of its blocks or a job is
  /// on the stack, since the queue is serial.
  func servesMainQueue(_ run: Run) -> Bool { isMain && run.record.isCommon && serialDepth == 0 }
}
