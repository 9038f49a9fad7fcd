public import WakeLoop

extension Loop {
  /// Keeps Foundation's main run loop going inside this one, for code that can't be changed.
  ///
  /// From now on the timers and performs of `RunLoop.main` are served in the passes of every run of the main loop
  /// in a common mode, in Foundation's mode of the same name; the common modes met that way become common ones of
  /// Foundation's as well, for good. Nothing polls: Foundation's own kernel timer is among what the loop waits for.
  ///
  /// ```swift
  /// let guest = Loop.main.hostFoundationRunLoop()
  /// let beat = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in print("Foundation's beat") }
  /// Loop.main.run()
  /// ```
  ///
  /// What Foundation leaves impossible is told in the documentation's article on concurrency. Main thread only.
  /// - Returns: The hosted run loop, the same one as before if it is hosted already. Dropping it changes nothing;
  ///   `invalidate()` ends it.
  /// - Precondition: This is the main loop.
  @MainActor @discardableResult
  public func hostFoundationRunLoop() -> FoundationGuest {
    precondition(
      self === Loop.main,
      "hostFoundationRunLoop() on a loop that is not the main loop: only Foundation's main run loop can be hosted"
    )
    if let hosted = FoundationGuest.hosted { return hosted }
    return FoundationGuest(in: self)
  }
}
