import LoopCore

extension FrameLink {
  /// What the link's rate goes by.
  enum RateWish {
    case preference(FrameRatePreference)
    /// So many refreshes a frame, at least 1.
    case refreshes(Int64)

    func divisor(displayRate: Double) -> Int64 {
      switch self {
      case .preference(let preference): preference.divisor(displayRate: displayRate)
      case .refreshes(let count): count
      }
    }
  }

  // MARK: Modes

  /// Adds the link to a mode of a loop, as `CADisplayLink`.
  ///
  /// Its first frame is for the first refresh after that. Loop's thread only, which must be the link's.
  /// - Precondition: The link is in no other loop.
  public func add(to loop: Loop, forMode mode: Loop.Mode) { loop.add(self, forMode: mode) }

  /// Takes the link out of a mode of a loop; out of its last one it stays valid.
  ///
  /// Loop's thread only.
  public func remove(from loop: Loop, forMode mode: Loop.Mode) { loop.remove(self, forMode: mode) }

  // MARK: Times

  /// When the refresh was due that called for the last frame, in seconds of the suspending clock; 0 before it.
  ///
  /// The link's thread only.
  public var timestamp: Double {
    checkThread()
    return frames == 0 ? 0 : Double(lastTimestamp) / 1e9
  }

  /// When the last frame will have been shown and the next is due, in seconds of the suspending clock; 0 before it.
  ///
  /// The link's thread only.
  public var targetTimestamp: Double {
    checkThread()
    return frames == 0 ? 0 : Double(lastTarget) / 1e9
  }

  /// The time between two refreshes of the display in seconds, as at its highest rate.
  ///
  /// What a frame takes is `targetTimestamp - timestamp`. The link's thread only.
  public var duration: Double {
    checkThread()
    return Double((frameClock ?? loop?.frameClock)?.interval ?? RefreshEstimate.usualInterval) / 1e9
  }

  /// How many frames the link has been called for.
  ///
  /// The link's thread only.
  public var frameNumber: Int {
    checkThread()
    return frames
  }

  /// How many frames have passed without a call, in total; those of a pause or a rest do not count.
  ///
  /// The link's thread only.
  public var missedFrames: Int {
    checkThread()
    return missed
  }

  // MARK: Rates

  /// The rates that the link is content with; at first the display's.
  ///
  /// A change made in the handler holds for the frame after. The link's thread only.
  public var preferredFrameRateRange: FrameRateRange {
    get {
      checkThread()
      return rateRange
    }
    set {
      checkThread()
      rateRange = newValue
      setRate(.preference(newValue.preference))
    }
  }

  /// The preferred rate in whole hertz, as older code says it; 0 or less is the display's rate.
  ///
  /// The link is called at the rate nearest to it that divides the display's. It reads back what was set, and 0
  /// where a range was. The link's thread only.
  @available(*, deprecated, message: "use preferredFrameRateRange")
  public var preferredFramesPerSecond: Int {
    get {
      checkThread()
      let range = rateRange
      guard range.minimum == 0, range.maximum == 0, let preferred = range.preferred else { return 0 }
      return Int(preferred)
    }
    set {
      // Beyond this a `Float` is not whole any more; no display gets there.
      let preferred = Float(min(max(0, newValue), 1 << 24))
      preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: 0, preferred: preferred)
    }
  }

  /// How many refreshes make one frame, as the oldest code says it; less than 1 is 1.
  ///
  /// It reads back what is in force. The link's thread only.
  @available(*, deprecated, message: "use preferredFrameRateRange")
  public var frameInterval: Int {
    get {
      checkThread()
      return Int(divisor)
    }
    set {
      checkThread()
      rateRange = .default
      setRate(.refreshes(min(max(1, Int64(newValue)), FrameRatePreference.greatestDivisor)))
    }
  }

  private func setRate(_ wish: RateWish) {
    rateWish = wish
    replan()
  }

  /// Determines the next frame anew, unless the handler is on the stack, after which that is done anyway.
  private func replan() {
    if loop == nil || local.contains(.isOnStack) { return }
    arm()
    requeue()
  }

  // MARK: Frames on demand

  /// Whether the link rests and is called only for frames that were asked for.
  ///
  /// A resting link makes no wake-ups. The link's thread only.
  public var isOnDemand: Bool {
    get {
      checkThread()
      return restsWhenIdle
    }
    set {
      checkThread()
      if newValue == restsWhenIdle { return }
      restsWhenIdle = newValue
      isFrameRequested = false
      if !newValue && loop != nil && !local.contains(.isOnStack) { startAnew() }
      replan()
    }
  }

  /// Asks an on-demand link for one frame, at the next refresh; asking again before that changes nothing.
  ///
  /// Asked for in its own handler, it is the frame after. A paused link keeps it in mind. Without effect on a link
  /// that is not on demand. The link's thread only.
  public func requestFrame() {
    checkThread()
    if !restsWhenIdle || isFrameRequested { return }
    isFrameRequested = true
    replan()
  }

  // MARK: Pacing

  /// How the link is woken for its frames.
  ///
  /// The link's thread only.
  public var pacing: FramePacing {
    get {
      checkThread()
      return pacingWish
    }
    set {
      checkThread()
      pacingWish = newValue
    }
  }
}
