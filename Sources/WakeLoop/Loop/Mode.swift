extension Loop {
  /// Names a set of observers, timers and sources, of which only those of the running mode act.
  ///
  /// Modes are equal when their names are equal, wherever they were made. A mode needs no declaration: it comes
  /// into being when something is added to it or it is run.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// The mode's name.
    public let rawValue: String

    /// Makes the mode of a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes the mode of a name, as Foundation's `RunLoop.Mode(_:)`.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    /// The mode in which a loop ordinarily runs; its name is Foundation's.
    public static let `default` = Mode("kCFRunLoopDefaultMode")

    /// Stands for every mode of the loop's common set, now and later; its name is Foundation's.
    ///
    /// Items are added to it; a loop can't run in it.
    public static let common = Mode("kCFRunLoopCommonModes")

    /// The mode for following a gesture, a member of the common set from the start; its name is UIKit's.
    public static let tracking = Mode("UITrackingRunLoopMode")
  }
}

extension Loop.Mode: CustomStringConvertible {
  /// The mode's name.
  public var description: String { rawValue }
}
