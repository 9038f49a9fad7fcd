import LoopCore
import LoopPlatform

/// Refreshes that are told, by whoever knows the display.
extension FrameClock {
  /// Tells that the display refreshes, or has done so.
  ///
  /// Whatever it is told, the clock makes an even row of it: a time that is zero, repeated, backwards or far ahead
  /// counts as now, one refresh is told once, and the interval is measured. When nothing is told, because the window
  /// is hidden, say, no frames are asked for. Any thread.
  /// - Parameters:
  ///   - instant: When the refresh was, or up to one interval ahead; a reading of the suspending clock.
  ///   - refresh: The interval that the display advertises; zero or nonsense if it says nothing.
  public func tick(at instant: Loop.Instant, refresh: Duration = .zero) {
    precondition(rate == nil, "tick(at:refresh:) was called on a grid clock, which knows its refreshes")
    if Loop.threadHere == threadID {
      guard let loop = relay?.loop else { return }
      var tick = Tick(
        instant: instant.nanoseconds, refreshInterval: refresh.clampedNanoseconds,
        arrival: loop.backend.now(.suspending), isConsecutive: true)
      if !isRequesting { return take(tick) }
      // Told from inside the request: not now, or one would call the other for ever.
      tick.isConsecutive = false
      relay?.keep(tick)
      return
    }
    tell(instant: instant.nanoseconds, refreshInterval: refresh.clampedNanoseconds)
  }

  /// Leaves a tick for the loop's thread and wakes that.
  private func tell(instant: Int64, refreshInterval: Int64) {
    lock.lock()
    guard let relay = sharedRelay, let mailbox = sharedMailbox else { return lock.unlock() }
    let isFirst = ticks.isEmpty
    if ticks.count == Self.mostTicks {
      ticks.removeFirst()
      ticks[0].isConsecutive = false
    }
    ticks.append(
      Tick(
        instant: instant, refreshInterval: refreshInterval, arrival: mailbox.now(.suspending),
        isConsecutive: true))
    lock.unlock()
    if isFirst { mailbox.postUpdate(of: relay) }
  }

  /// Takes in what other threads have told.
  func takeTicks() {
    let told = lock.withLock {
      defer { ticks.removeAll(keepingCapacity: true) }
      return ticks
    }
    for tick in told { take(tick) }
  }

  func take(_ tick: Tick) {
    guard case .told(var estimate) = timeline else { return }
    // Between a tick and a request that comes late, refreshes pass of which nobody is told.
    let wasPrompt =
      request == nil
      || (requestedAt.map { $0 &- (lastArrival ?? $0) < estimate.interval / 2 } ?? false)
    let age = requestedAt.map { tick.arrival &- $0 } ?? .max
    requestedAt = nil
    lastArrival = tick.arrival
    let outcome = estimate.tick(
      at: tick.instant, refreshInterval: tick.refreshInterval, now: tick.arrival,
      isConsecutive: tick.isConsecutive && wasPrompt)
    timeline = .told(estimate)
    for link in links {
      link.refreshCame(estimate.refresh, told: tick.arrival, isEarly: outcome == .early)
    }
    let isWaiting = links.contains { $0.waitsForTick }
    // Until the interval is known from ticks, each is wanted; but not so that they come without end at once.
    let isCurious =
      !estimate.isMeasured && age >= RefreshEstimate.soundIntervals.lowerBound && isRunning
    if isWaiting || isCurious { requestNext(now: tick.arrival) }
  }

  func requestNext(now: Int64) {
    guard let request, requestedAt == nil else { return }
    requestedAt = now
    isRequesting = true
    request()
    isRequesting = false
  }
}
