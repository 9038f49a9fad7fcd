import LoopPlatform

/// One child process, shared by all who watch it on whatever loop: reaped once, after the last has been told.
// Sendable is unchecked because everything mutable is guarded by `lock`, and the descriptor never changes.
final class WatchedChild: @unchecked Sendable {
  let processID: Int32
  /// A pidfd, readable once the child has ended; -1 if there was no such process.
  let descriptor: Int32
  private let lock = Lock()
  /// Sources that are in a loop and were not told yet; protected by `lock`.
  private var watchers = 0
  /// Protected by `lock`.
  private var wasTold = false
  /// How the child ended, once known; protected by `lock`.
  private var end: Loop.ChildSource.Exit?

  private init(processID: Int32, descriptor: Int32) {
    self.processID = processID
    self.descriptor = descriptor
  }

  deinit {
    // Whoever watched it held it until the descriptor was out of every poll set.
    if descriptor >= 0 { ChildProcess.close(descriptor) }
  }

  // MARK: Finding

  /// The child that has a number now.
  ///
  /// A number may have been given to another process since somebody began to watch it: then the two are apart.
  static func find(_ processID: Int32) throws(LoopPlatform.SystemError) -> WatchedChild {
    registry.lock.lock()
    defer { registry.lock.unlock() }
    if let known = registry.children[processID]?.child, known.isStillThere { return known }
    let descriptor: Int32
    switch ChildProcess.open(processID) {
    case .success(let opened): descriptor = opened
    case .failure(let error):
      guard error.errno == ErrorNumber.noProcess else { throw error }
      descriptor = -1
    }
    let child = WatchedChild(processID: processID, descriptor: descriptor)
    if descriptor >= 0 {
      registry.children = registry.children.filter { $0.value.child != nil }
      registry.children[processID] = Weak(child: child)
    }
    return child
  }

  /// Whether the number still belongs to the child, running or ended; its number is kept until it is reaped.
  private var isStillThere: Bool {
    if case .success = ChildProcess.peek(descriptor) { return true }
    return false
  }

  private struct Weak {
    weak var child: WatchedChild?
  }

  // Sendable is unchecked because the table is only touched under the lock.
  private final class Registry: @unchecked Sendable {
    let lock = Lock()
    var children: [Int32: Weak] = [:]
  }

  private static let registry = Registry()

  // MARK: Watching

  func beginWatching() {
    lock.withLock { watchers += 1 }
  }

  /// How the child ended, nil while it runs.
  func exit() -> Loop.ChildSource.Exit? {
    lock.withLock {
      if end == nil { end = ask() }
      return end
    }
  }

  private func ask() -> Loop.ChildSource.Exit? {
    guard descriptor >= 0 else { return .reapedElsewhere }
    switch ChildProcess.peek(descriptor) {
    case .success(.running): return nil
    case .success(.exited(let status)): return .exited(code: status)
    case .success(.killed(let signal, _)): return .signaled(signal: Loop.Signal(rawValue: signal))
    case .failure: return .reapedElsewhere
    }
  }

  /// Takes note that a watcher was told, or has given up; the last one reaps the child if anyone was told.
  func endWatching(wasTold told: Bool) {
    lock.withLock {
      watchers -= 1
      assert(watchers >= 0, "child \(processID) has \(watchers) watchers")
      wasTold = wasTold || told
      if watchers == 0 && wasTold && descriptor >= 0 { _ = ChildProcess.reap(descriptor) }
    }
  }
}
