import LoopPlatform

extension Loop {
  /// How long calls took, in nanoseconds a call.
  public struct Measurement: Hashable, Sendable, CustomStringConvertible {
    /// How many calls were measured.
    public let count: Int
    /// The time of all of them, divided by their number.
    public let mean: Double
    /// What half of the samples do not exceed.
    public let median: Double
    /// The least of the samples.
    public let minimum: Double

    /// One line with the three.
    public var description: String {
      "\(count) calls: mean \(mean.rounded()) ns, median \(median.rounded()) ns, minimum \(minimum.rounded()) ns"
    }
  }

  /// Calls a body so many times and tells how long a call took, as `dispatch_benchmark`.
  ///
  /// What the body returns is taken by a sink that no optimizer sees through, so that computing it can't be left out.
  /// Up to 100 samples are taken. A sample is the average over a batch of calls; with up to 100 calls it is one, and
  /// then includes about 50 ns for reading the clock twice. Any thread.
  ///
  /// - Parameters:
  ///   - count: how many calls, at least 1.
  ///   - body: called that often.
  /// - Throws: what the body throws; nothing is measured then.
  public static func measure<Value>(count: Int, _ body: () throws -> Value) rethrows -> Measurement {
    precondition(count >= 1, "\(count) calls can't be measured: it takes at least 1")
    var samples: [Double] = []
    samples.reserveCapacity(min(count, 100))
    var total: Int64 = 0
    for sample in 0..<min(count, 100) {
      // Batches of sizes that differ by one at most and add up to `count`.
      let calls = (sample + 1) * count / min(count, 100) - sample * count / min(count, 100)
      let start = SystemClock.now(.suspending)
      for _ in 0..<calls { sink(try body()) }
      let taken = SystemClock.now(.suspending) - start
      total += taken
      samples.append(Double(taken) / Double(calls))
    }
    samples.sort()
    let middle = samples.count / 2
    let median = samples.count % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2
    return Measurement(count: count, mean: Double(total) / Double(count), median: median, minimum: samples[0])
  }
}
