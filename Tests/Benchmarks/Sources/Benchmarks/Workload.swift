/// Who is measured.
enum Peer: String, CaseIterable {
  case wakeLoop = "WakeLoop"
  /// The loop without its executor in the main actor's place.
  case wakeLoopByQueue = "WakeLoop by the main queue"
  case libevent = "libevent"
  case dispatch = "Dispatch"
  /// WakeLoop's timer queue by itself, without objects, closures or a loop.
  case timerQueue = "timer queue alone"
}

/// One number of one workload.
struct Measurement {
  var workload: String
  var unit: String
  var value: Double
}

/// A workload, which checks its own result and gives one or more numbers.
struct Workload: Sendable {
  var name: String
  var run: [Peer: @Sendable () -> [Measurement]]
}

/// Ends the process with a sentence if a result is wrong: a fast wrong answer is no answer.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
  precondition(holds, sentence())
}
