/// Decides whether a loop that has nothing to do looks on for a moment before it sleeps.
///
/// To fall asleep and be woken takes longer than most of what another thread does before it posts again, so two threads
/// that answer each other, as a task that hops to the main actor and back, would spend nearly all of their time on it.
/// Where waits have turned out to be that short, a look of at most `limit` is tried first. It is not worth its while
/// where nothing comes within it, nor where the next post comes at once: a thread that goes on posting is slowed down by
/// a loop that takes each post from under its hands, and the sleep lets several gather. Each such vain look doubles the
/// number of short waits that have to follow each other before the next one, so that looking costs next to nothing
/// where it does not pay.
package struct WakePatience {
  /// For how long to look, in nanoseconds: about what a sleep and a wake-up cost.
  package static let limit: Int64 = 20_000
  /// What comes earlier than this many nanoseconds comes from a thread that has not waited for the loop.
  static let stream: Int64 = 3_000
  /// The longest sleep, in nanoseconds, that might have been a look instead, including the wake-up.
  static let short: Int64 = 200_000
  static let leastRequired = 2
  static let mostRequired = 64

  private var shortWaits = 0
  private var required = leastRequired
  /// Whether the next wait should be measured: the last one was ended by another thread.
  package private(set) var measures = false

  package init() {}

  /// Whether the next wait should begin with a look.
  package var looks: Bool { measures && shortWaits >= required }

  /// Learns that a wait was slept through, for how many nanoseconds if that was measured, and what ended it.
  package mutating func noteSleep(nanoseconds: Int64?, endedByPost: Bool) {
    measures = endedByPost
    guard let nanoseconds, endedByPost, nanoseconds <= Self.short else {
      shortWaits = 0
      return
    }
    shortWaits = min(shortWaits + 1, Self.mostRequired)
  }

  /// Learns what a look came to, and after how many nanoseconds.
  package mutating func noteLook(nanoseconds: Int64, found: Bool) {
    if found && nanoseconds >= Self.stream {
      required = Self.leastRequired
    } else {
      shortWaits = 0
      required = min(required * 2, Self.mostRequired)
    }
  }
}
