import LoopCore
import LoopPlatform

extension Loop {
  /// The loop whose run is innermost on this thread, else the thread's own, made if there is none yet.
  ///
  /// The thread's own loop goes with its thread.
  @available(
    *, noasync, message: "a task may change threads; use a loop's remote, or Loop.main on the main actor"
  )
  public static var current: Loop { here }

  /// The main thread's loop.
  ///
  /// It serves `DispatchQueue.main`, so that main-actor code runs in its passes.
  /// - Precondition: Called on the main thread.
  @preconcurrency @MainActor public static var main: Loop {
    precondition(
      ThreadState.isMainThread,
      "Loop.main was used on thread \(ThreadState.threadID), which is not the main thread; main-actor code is "
        + "there only while the main thread runs its loop")
    return own
  }

  /// What `current` is, for the library's own synchronous code.
  static var here: Loop { running ?? own }

  /// The loop whose run is innermost on this thread.
  @inline(__always)
  static var running: Loop? { loop(at: ThreadState.runningLoop) }

  /// The thread's own loop, if it has been made.
  @inline(__always)
  static var existing: Loop? { loop(at: ThreadState.ownLoop) }

  static var own: Loop {
    if let loop = existing { return loop }
    _ = exitHook
    let main = ThreadState.isMainThread
    let loop = Loop(
      mailbox: main ? .main : .make(), makeBackend: { LibeventBackend(waker: $0) },
      clock: { SystemClock.now($0) })
    if main { MainExecutor.reportIfRefused() }
    // Balanced when the thread ends.
    ThreadState.ownLoop = Unmanaged.passRetained(loop).toOpaque()
    return loop
  }

  /// The thread that something is made on.
  @inline(__always)
  static var threadHere: Int32 { ThreadState.threadID }

  // The pointers are set by this file and the runs of a loop on its own thread, and cleared before the loop goes.
  @inline(__always)
  private static func loop(at pointer: UnsafeMutableRawPointer?) -> Loop? {
    pointer.map { Unmanaged<Loop>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let exitHook: Void = ThreadState.onThreadExit { pointer in
    let loop = Unmanaged<Loop>.fromOpaque(pointer)
    // What a deinit asks for meanwhile still finds the closing loop, and is refused by it.
    ThreadState.ownLoop = pointer
    loop.takeUnretainedValue().close()
    ThreadState.ownLoop = nil
    loop.release()
  }
}
