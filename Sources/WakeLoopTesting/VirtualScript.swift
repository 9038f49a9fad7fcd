/// Something that happens in the world outside the loop at an instant of the suspending clock.
struct ScriptedEvent {
  var instant: Int64
  /// Whether a waiting loop looks up when it has happened.
  var wakes: Bool
  var change: () -> Void
}

/// What is still to happen, in the order in which it will: by instant, then by age.
struct VirtualScript {
  /// The latest first, so that taking the next one is cheap.
  private var events: [ScriptedEvent] = []

  /// When the next thing happens; nil is never.
  var nextInstant: Int64? { events.last?.instant }

  /// Adds an event behind those of the same instant.
  ///
  /// - Complexity: O(n) in the number of events that are to happen before it.
  mutating func add(_ event: ScriptedEvent) {
    var low = 0
    var high = events.count
    while low < high {
      let middle = (low + high) / 2
      if events[middle].instant > event.instant { low = middle + 1 } else { high = middle }
    }
    events.insert(event, at: low)
  }

  /// Takes the next event if its instant has come.
  mutating func takeDue(now: Int64) -> ScriptedEvent? {
    guard let next = events.last, next.instant <= now else { return nil }
    return events.removeLast()
  }

  /// Forgets everything that was to happen.
  mutating func removeAll() { events.removeAll() }
}
