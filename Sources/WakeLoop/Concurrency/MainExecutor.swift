import LoopPlatform

/// The main loop's executor in the main actor's place.
package enum MainExecutor {
  /// Writes the executor for the runtime, from any thread.
  package static func write(to pointer: UnsafeMutableRawPointer?) {
    guard let pointer else { return }
    MainExecutorHooks.write(Executors.main.serial.asUnownedSerialExecutor(), to: pointer)
  }

  /// Runs the main loop for an async main, for ever: the process ends when that main does.
  ///
  /// A stop ends one run, not the main that still waits for something.
  package static func drive() -> Never {
    while true { Loop.own.run() }
  }

  /// Puts the executor in place; false: the runtime can't, and has said so.
  static func install() -> Bool {
    if MainExecutorHooks.state == .absent {
      _ = MainExecutorHooks.install(
        provider: { MainExecutor.write(to: $0) }, drive: { MainExecutor.drive() })
    }
    reportIfRefused()
    return MainExecutorHooks.state == .installed
  }

  /// Whether the main actor's jobs come to our executor, as the runtime itself tells it.
  private static var isUnderstood: Bool {
    MainExecutorHooks.areSame(
      MainActor.sharedUnownedExecutor, Executors.main.serial.asUnownedSerialExecutor())
  }

  // Only the main thread asks.
  nonisolated(unsafe) private static var isJudged = false

  /// Says once if what was asked for is not to be had; then the main queue serves the main actor, as ever.
  ///
  /// Main thread only. While nothing was asked for, there is nothing to say yet.
  static func reportIfRefused() {
    if isJudged || MainExecutorHooks.state == .absent { return }
    isJudged = true
    if MainExecutorHooks.state == .installed {
      if isUnderstood { return }
      MainExecutorHooks.remove()
    }
    Loop.report(
      .fallback,
      "this Swift runtime does not let the main actor's executor be replaced; its jobs come by the main "
        + "dispatch queue instead, which the main loop serves")
  }
}

extension Loop {
  /// Makes this loop's executor the main actor's, so that main-actor code comes here without the main queue.
  ///
  /// By default, main-actor jobs are blocks of the main dispatch queue, run in the order of asking with its other
  /// blocks. With the executor installed, a pass runs the queue's blocks first and then the jobs, each kind in its
  /// own order, under one stamp; a hop costs less. On the first line of an async `main` it also lets the loop
  /// drive the main thread when that main suspends. Linking `WakeLoopMain` does the same before `main` begins.
  ///
  /// Call it before the first task is made. A second call changes nothing. Main thread only.
  /// - Returns: False if the Swift runtime does not allow it: that is reported, and all goes on by the queue.
  /// - Precondition: This is the main loop.
  @discardableResult
  public func installAsMainExecutor() -> Bool {
    checkThread()
    precondition(
      isMain, "installAsMainExecutor() on the loop of thread \(threadID), which is not the main loop")
    return MainExecutor.install()
  }
}
