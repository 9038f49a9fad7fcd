public import FoundationEssentials

/// Performs after a delay, with a target or without.
extension Loop {
  /// Calls a block once after a delay, in whichever of the modes runs then.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - delay: On the suspending clock; negative is zero, which is the next pass.
  ///   - modes: The modes; with none the block is never called.
  ///   - block: The block; invalidating the timer lets go of it.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  @discardableResult
  public func perform(
    after delay: Duration, inModes modes: [Mode] = [.default], fileID: StaticString = #fileID,
    line: UInt = #line, block: @escaping () -> Void
  ) -> Timer {
    checkUsable("add by perform(after:inModes:block:)")
    let timer = Timer(
      deadline: saturatingAdd(backend.now(.suspending), max(0, delay.clampedNanoseconds)),
      handler: .block(block), timeBase: mailbox.number, threadID: threadID, fileID: fileID, line: line)
    for mode in modes { add(timer, forMode: mode) }
    return timer
  }

  /// Calls a method of a target with an argument after a delay, as `performSelector:withObject:afterDelay:`.
  ///
  /// The target is not kept alive; its death ends the perform. Loop's thread only.
  /// - Parameters:
  ///   - action: The method, such as `Player.seek`.
  ///   - target: Whose method to call; held weakly.
  ///   - argument: What to call it with.
  ///   - delay: Seconds on the suspending clock; negative is zero, which is the next pass.
  ///   - modes: The modes; with none it is never called.
  ///   - key: What `cancelPreviousPerforms(on:key:)` knows it by.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The delay is not NaN.
  @discardableResult
  public func perform<T: AnyObject, A>(
    _ action: @escaping (T) -> (A) -> Void, on target: T, with argument: A, afterDelay delay: TimeInterval,
    inModes modes: [Mode] = [.default], key: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Timer {
    checkUsable("add by perform(_:on:with:afterDelay:inModes:)")
    guard let nanoseconds = Loop.nanoseconds(of: delay) else {
      preconditionFailure("the delay is not a number: \(delay)")
    }
    let call: (T, Pass) -> Void = { target, _ in action(target)(argument) }
    let timer = Timer(
      deadline: saturatingAdd(backend.now(.suspending), max(0, nanoseconds)), handler: .calling(call),
      timeBase: mailbox.number, threadID: threadID, fileID: fileID, line: line)
    timer.bind(to: target)
    timer.madeExtras.performKey = key
    timer.isTargetedPerform = true
    for mode in modes { add(timer, forMode: mode) }
    return timer
  }

  /// Cancels the delayed performs on a target that have not been called, as
  /// `cancelPreviousPerformRequestsWithTarget:`.
  ///
  /// Loop's thread only. Linear in the number of items with weak targets.
  public func cancelPreviousPerforms(on target: AnyObject) {
    cancelPerforms { $0.extras?.target.object === target }
  }

  /// Cancels the delayed performs on a target that were given a key and have not been called.
  ///
  /// Loop's thread only. Linear in the number of items with weak targets.
  public func cancelPreviousPerforms(on target: AnyObject, key: String) {
    cancelPerforms { $0.extras?.target.object === target && $0.extras?.performKey == key }
  }

  private func cancelPerforms(where matches: (Timer) -> Bool) {
    checkThread()
    for case let timer as Timer in weakItems where timer.isTargetedPerform && matches(timer) {
      timer.invalidate()
    }
  }
}
