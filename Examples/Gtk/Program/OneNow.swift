import FoundationEssentials
import Glibc
import WakeLoop

/// Checks that handlers of GTK's and of the loop's that run in one pass are on the main thread and read one now.
struct OneNow {
  /// Whose handler it is.
  enum Side {
    case gtk
    case loop
  }

  /// Passes in which handlers of both sides have run.
  private(set) var sharedPasses = 0
  /// Handlers that have read another now than those before them in the pass.
  private(set) var differences = 0
  /// Handlers that were called on another thread than the main one.
  private(set) var strayed = 0

  private let mainThread = pthread_self()
  private var pass: UInt64 = 0
  private var now = Date.distantPast
  private var seen: Set<Side> = []

  /// Takes note of a handler that runs now.
  mutating func note(_ side: Side) {
    if pthread_equal(pthread_self(), mainThread) == 0 { strayed += 1 }
    let stamp = Loop.current.stamp
    if stamp.iteration != pass {
      pass = stamp.iteration
      now = Date.wake
      seen = []
    }
    if Date.wake != now || stamp.wakeDate != now { differences += 1 }
    if seen.insert(side).inserted && seen.count == 2 { sharedPasses += 1 }
  }
}
