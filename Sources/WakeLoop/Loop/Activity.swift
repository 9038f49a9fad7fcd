extension Loop {
  /// The points of a run and of its passes at which observers are told.
  ///
  /// The values are CoreFoundation's.
  public struct Activity: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes a set of activities from its bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// A run begins; once a run, under a stamp of its own.
    public static let entry = Activity(rawValue: 1 << 0)
    /// A pass begins, still under the last stamp.
    public static let beforeTimers = Activity(rawValue: 1 << 1)
    /// Follows `beforeTimers` in each pass.
    public static let beforeSources = Activity(rawValue: 1 << 2)
    /// The pass is about to wait or poll; what is scheduled or posted now counts for this wait.
    public static let beforeWaiting = Activity(rawValue: 1 << 5)
    /// The pass has woken and taken its stamp, and has called nothing yet.
    public static let afterWaiting = Activity(rawValue: 1 << 6)
    /// A run ends; once a run, under the last stamp of it.
    public static let exit = Activity(rawValue: 1 << 7)
    /// All of them, and those that may come.
    public static let all = Activity(rawValue: 0x0FFF_FFFF)
  }
}
