import LoopCore

extension Loop {
  private enum FrameClockKey: Key {
    typealias Value = FrameClock
  }

  /// The clock of links that were given none: 60 Hz, evenly, unless it is set.
  ///
  /// Setting it concerns links that are added from then on. Loop's thread only.
  public var frameClock: FrameClock {
    get {
      if let clock = self[FrameClockKey.self] { return clock }
      let clock = FrameClock.grid(hz: 60)
      self[FrameClockKey.self] = clock
      return clock
    }
    set { self[FrameClockKey.self] = newValue }
  }

  /// Calls a closure for each frame of a display.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - clock: What says when the display refreshes; nil is the loop's `frameClock`.
  ///   - mode: Where the link acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - handler: Called with each frame.
  @discardableResult
  public func onEachFrame(
    of clock: FrameClock? = nil, in mode: Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line, _ handler: @escaping (Frame) -> Void
  ) -> FrameLink {
    let link = FrameLink(clock: clock, fileID: fileID, line: line, handler: handler)
    add(link, forMode: mode)
    return link
  }

  /// When the wait has to end early because a link that is due first is paced precisely.
  ///
  /// - Returns: By how many nanoseconds; 0 if no such link is due first.
  func preciseLead(_ deadlines: WaitDeadlines, in run: Run) -> Int64 {
    var lead: Int64 = 0
    for link in preciseLinks where link.deadline == deadlines.suspending {
      if link.isCallable && link.isMember(of: run) { lead = max(lead, link.pacingWish.lead) }
    }
    return lead
  }
}
