import CLoopShims

/// What of the runtime has to be replaced so that the main actor runs on an executor of ours.
///
/// The Swift side of one C file, in which all that depends on the runtime's version lies.
package enum MainExecutorHooks {
  /// How an installation stands.
  package enum State: Sendable {
    case absent
    case installed
    /// It was asked for, and this runtime can't.
    case unsupported
  }

  /// How the installation stands, by whomever it was made.
  package static var state: State { State(wl_main_executor_state()) }

  /// Makes the main actor run on the executor that `provider` names when first asked, and has `drive` called
  /// on the main thread of an async main, never to return.
  ///
  /// Before any task exists. A second call changes nothing.
  package static func install(
    provider: @convention(c) (UnsafeMutableRawPointer?) -> Void, drive: @convention(c) () -> Void
  ) -> State {
    #if compiler(>=6.2)
      return State(wl_main_executor_install(provider, drive))
    #else
      return .unsupported
    #endif
  }

  /// Writes an executor in the form in which the runtime passes it.
  package static func write(_ executor: UnownedSerialExecutor, to pointer: UnsafeMutableRawPointer) {
    // Two words: the object and its conformance. Their order and number are checked by the caller, who asks
    // the runtime afterwards which executor the main actor has.
    precondition(
      MemoryLayout<UnownedSerialExecutor>.size == MemoryLayout<wl_executor>.size,
      "a serial executor has \(MemoryLayout<UnownedSerialExecutor>.size) bytes in this runtime")
    pointer.storeBytes(of: executor, as: UnownedSerialExecutor.self)
  }

  /// Whether two executors are the same object.
  package static func areSame(_ one: UnownedSerialExecutor, _ other: UnownedSerialExecutor) -> Bool {
    identity(one) == identity(other)
  }

  private static func identity(_ executor: UnownedSerialExecutor) -> UInt {
    // The first of the two words that `write` has checked.
    withUnsafeBytes(of: executor) { $0.load(as: UInt.self) }
  }

  /// Leaves the main actor to the runtime again, if it turned out not to have understood.
  package static func remove() { wl_main_executor_remove() }
}

extension MainExecutorHooks.State {
  fileprivate init(_ state: Int32) {
    switch Int(state) {
    case Int(wl_main_executor_absent): self = .absent
    case Int(wl_main_executor_installed): self = .installed
    default: self = .unsupported
    }
  }
}
