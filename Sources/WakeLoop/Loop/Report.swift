import LoopPlatform

extension Loop {
  /// Something that the library has to say and that no caller is there to be told.
  public struct Report: Sendable, CustomStringConvertible {
    /// What a report is about.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      private enum Code: String {
        case neverRun, descriptorLost, refused, fallback
      }

      private let code: Code

      /// Blocks that were accepted and never called, since their loop has ended.
      public static let neverRun = Kind(code: .neverRun)
      /// A descriptor that was closed while something watched it and had nobody left to tell.
      public static let descriptorLost = Kind(code: .descriptorLost)
      /// Something that the system refused outside of any call that could throw.
      public static let refused = Kind(code: .refused)
      /// Something that this system can't do, and what is done instead.
      public static let fallback = Kind(code: .fallback)

      /// The kind's name.
      public var description: String { code.rawValue }
    }

    /// What it is about.
    public let kind: Kind
    /// What happened, in a sentence.
    public let message: String

    /// The sentence behind the library's name.
    public var description: String { "WakeLoop: \(message)" }
  }

  /// Called with everything that the library has to say; by default it is written to standard error.
  ///
  /// Any thread may set it; it is called on the thread where the thing happened, and must not wait.
  public static var onReport: (@Sendable (Report) -> Void)? {
    get { reporter.lock.withLock { reporter.handler } }
    set { reporter.lock.withLock { reporter.handler = newValue } }
  }

  package static func report(_ kind: Report.Kind, _ message: String) {
    let report = Report(kind: kind, message: message)
    if let handler = onReport {
      handler(report)
    } else {
      StandardError.write("\(report)\n")
    }
  }

  // Sendable is unchecked because the handler is only touched under the lock.
  private final class Reporter: @unchecked Sendable {
    let lock = Lock()
    var handler: (@Sendable (Report) -> Void)?
  }

  private static let reporter = Reporter()
}
