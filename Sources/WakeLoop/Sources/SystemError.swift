import LoopPlatform

extension Loop {
  /// Something that the operating system refused.
  public struct SystemError: Swift.Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number of the system, an `errno` value such as `EBADF`.
    public let code: Int32
    /// What was refused, with the descriptor or process concerned.
    public let operation: String
    /// What to do about it.
    public let advice: String

    /// What was refused, why, and what to do about it, in one line.
    public var description: String { "\(operation): \(describe(errno: code)). \(advice)" }
  }
}

extension Loop.SystemError {
  /// Watching a descriptor was refused, or the descriptor has gone while it was watched.
  static func watching(_ descriptor: Int32, code: Int32) -> Self {
    // The kernel calls a closed descriptor whose number names another file by now an unknown entry.
    let code = code == ErrorNumber.noEntry ? ErrorNumber.badDescriptor : code
    let advice =
      switch code {
      case ErrorNumber.badDescriptor:
        "It is not open, or was closed while it was watched; end its source before closing it."
      case ErrorNumber.notPermitted:
        "The kernel does not wait for files and directories, which are always ready: read them directly."
      default: advice(for: code)
      }
    return Self(code: code, operation: "watch descriptor \(descriptor)", advice: advice)
  }

  /// Watching a process was refused.
  static func watching(process: Int32, code: Int32) -> Self {
    let advice =
      switch code {
      case ErrorNumber.notImplemented, ErrorNumber.notPermitted:
        "Children are watched by pidfd_open, which needs Linux 5.3 and must not be barred by a sandbox."
      default: advice(for: code)
      }
    return Self(code: code, operation: "watch process \(process)", advice: advice)
  }

  /// A descriptor to be polled by a host of the loop was refused.
  static func openingHostDescriptor(code: Int32) -> Self {
    Self(code: code, operation: "open a descriptor for the loop's host", advice: advice(for: code))
  }

  private static func advice(for code: Int32) -> String {
    switch code {
    case ErrorNumber.tooManyDescriptors:
      "The process has as many descriptors as it may: close some, or raise its limit (ulimit -n)."
    case ErrorNumber.tooManyDescriptorsInSystem:
      "The system has as many open files as it may: see /proc/sys/fs/file-max."
    case ErrorNumber.noSpace:
      "The user watches as many descriptors as one may: see /proc/sys/fs/epoll/max_user_watches."
    case ErrorNumber.noMemory: "The system has no memory left for it."
    default: "The system gives no other reason."
    }
  }
}
