extension Loop {
  /// Is told of the points of a run and of its passes.
  ///
  /// An observer keeps no loop alive. It may add, remove and invalidate observers, itself among them, without
  /// any other being skipped or told twice; one added meanwhile is first told of the next activity.
  public final class Observer: Item, @unchecked Sendable {
    /// What the observer is told of.
    ///
    /// The item's thread only.
    public let activities: Activity
    /// Whether the observer goes on after the first time.
    ///
    /// The item's thread only.
    public let repeats: Bool
    /// Observers of lower order are told first; ties go to the older.
    ///
    /// The item's thread only.
    public let order: Int
    private var handler: ((Observer, Activity) -> Void)?

    /// Makes an observer, as `CFRunLoopObserverCreateWithHandler`; it acts once it is added to a loop.
    ///
    /// - Parameters:
    ///   - activities: What to be told of.
    ///   - repeats: False ends the observer after its first call.
    ///   - order: Observers of lower order are told first; ties go to the older.
    ///   - handler: Called on the loop's thread with the observer and the one activity that it is told of.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    public init(
      activities: Activity, repeats: Bool = true, order: Int = 0, fileID: StaticString = #fileID,
      line: UInt = #line, handler: @escaping (Observer, Activity) -> Void
    ) {
      self.activities = activities
      self.repeats = repeats
      self.order = order
      self.handler = handler
      super.init(threadID: Loop.threadHere, keepsLoopAlive: false, fileID: fileID, line: line)
    }

    override var kindName: String { "observer" }

    override func join(_ record: ModeRecord) {
      record.insert(ObserverEntry(item: self, activities: activities, order: order))
    }

    override func leave(_ record: ModeRecord) { record.removeObserver(self) }

    override func releaseHandlers() { handler = nil }

    override func observe(_ activity: Activity) {
      guard let handler else { return }
      handler(self, activity)
      if !repeats { endNow() }
    }
  }
}
