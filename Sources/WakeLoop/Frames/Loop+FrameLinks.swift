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

  /// Calls a closure for each frame of a display, until its owner dies.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - clock: What says when the display refreshes; nil is the loop's `frameClock`.
  ///   - owner: Held weakly; its death ends the link.
  ///   - mode: Where the link acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - handler: Called with the owner and each frame.
  @discardableResult
  public func onEachFrame<O: AnyObject>(
    of clock: FrameClock? = nil, owner: O, in mode: Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line, _ handler: @escaping (O, Frame) -> Void
  ) -> FrameLink {
    let link = FrameLink(target: owner, clock: clock, fileID: fileID, line: line, handler: handler)
    add(link, forMode: mode)
    return link
  }

  /// By how many nanoseconds a wait has to end early for the frame links that are due first; 0 if none is.
  ///
  /// - Complexity: O(n) in the number of frame links, which are few.
  func frameLead(_ deadlines: WaitDeadlines, in run: Run) -> Int64 {
    var lead: Int64 = 0
    for link in frameLinks where link.deadline == deadlines.suspending {
      if link.isCallable && link.isMember(of: run) { lead = max(lead, link.pacingWish.lead) }
    }
    return lead
  }
}
