import WakeLoop
import WakeLoopTesting

/// What a task does with a sequence of beats; all times are nanoseconds since the beginning.
struct BeatProgram: Sendable {
  enum Step: Sendable {
    case next
    /// Sleeps on the loop's clock.
    case stall(Int64)
    /// Keeps the loop's thread busy.
    case work(Int64)
  }

  /// What the task has seen.
  enum Sight: Equatable, Sendable {
    /// A beat: the instant of its pass, what it says was missed, and when the task was given it.
    case beat(at: Int64, missed: Int, taken: Int64)
    case end(taken: Int64)
    case interrupted(at: Int64)
  }

  let interval: Int64
  let firesNow: Bool
  let steps: [Step]
  /// When the task is cancelled; never at a moment at which anything else happens.
  let cancel: Int64?

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let interval = 1_000 * Int64.random(in: 1...20_000, using: &random)
    self.interval = interval
    firesNow = Bool.random(using: &random)
    func some() -> Int64 {
      // Often to the very moment of a beat.
      let rest = Bool.random(using: &random) ? 0 : 1_000 * Int64.random(in: 0...20_000, using: &random)
      return interval * Int64.random(in: 0...4, using: &random) + rest
    }
    steps = (0..<Int.random(in: 1...30, using: &random)).map { _ in
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: .next
      case 6..<8: .stall(some())
      default: .work(some())
      }
    }
    let isCancelled = Bool.random(using: &random)
    cancel = isCancelled ? Int64.random(in: 0...interval * 40, using: &random) / 1_000 * 1_000 + 500 : nil
  }

  // MARK: Played

  /// Plays the program in virtual time; tells what was seen and how many items were left in the loop.
  func play() -> (sights: [Sight], itemsLeft: Int) {
    let virtual = VirtualLoop()
    let begin = virtual.now.nanoseconds
    let log = Log(virtual)
    let clock = virtual.loop.clock
    let beats = virtual.loop.beats(every: .nanoseconds(interval), firesNow: firesNow)
    let task = Task(executorPreference: virtual.loop.taskExecutor) { [steps] in
      func passed() -> Int64 { clock.now.nanoseconds - begin }
      let iterator = beats.makeAsyncIterator()
      for step in steps {
        switch step {
        case .next:
          guard let pass = await iterator.next() else { return log.see(.end(taken: passed())) }
          log.see(.beat(at: pass.instant.nanoseconds - begin, missed: pass.missed, taken: passed()))
        case .stall(let duration):
          do { try await clock.sleep(until: clock.now + .nanoseconds(duration)) } catch {
            return log.see(.interrupted(at: passed()))
          }
        case .work(let duration): log.virtual.block(for: .nanoseconds(duration))
        }
      }
    }
    if let cancel { virtual.loop.schedule(at: virtual.now + .nanoseconds(cancel)) { _ in task.cancel() } }
    virtual.advance(by: .seconds(100))
    return (log.sights, virtual.loop.items.count)
  }

  // Sendable is unchecked because everything happens on the virtual loop's thread.
  private final class Log: @unchecked Sendable {
    let virtual: VirtualLoop
    var sights: [Sight] = []

    init(_ virtual: VirtualLoop) { self.virtual = virtual }

    func see(_ sight: Sight) { sights.append(sight) }
  }

  // MARK: Expected

  /// What the task ought to see, said without any loop: beats lie on a grid, and the loop looks at its clock whenever
  /// the task lets it.
  func expected() -> [Sight] {
    var sights: [Sight] = []
    var now: Int64 = 0
    /// The first beat of the grid that the loop has not called yet.
    var coming = firesNow ? 0 : interval
    var latest: (at: Int64, missed: Int)?
    var isCancelled = false

    /// The loop looks at a moment and calls the timer if it is due.
    func look(at moment: Int64) {
      guard coming <= moment else { return }
      let beats = (moment - coming) / interval + 1
      latest = (moment, Int(beats) - 1 + (latest.map { $0.missed + 1 } ?? 0))
      coming += interval * beats
    }

    for step in steps {
      switch step {
      case .work(let duration): now += duration
      case .stall(let duration):
        if isCancelled { return sights + [.interrupted(at: now)] }
        if duration == 0 { continue }
        let end = now + duration
        let stop = cancel.map { min(max($0, now), end) } ?? end
        look(at: now)
        while coming <= stop { look(at: coming) }
        now = stop
        if let cancel, cancel < end { return sights + [.interrupted(at: now)] }
      case .next:
        if isCancelled { return sights + [.end(taken: now)] }
        if latest == nil {
          if let cancel, cancel < coming { return sights + [.end(taken: max(cancel, now))] }
          now = max(now, coming)
          look(at: now)
          // It comes later in the same pass.
          if let cancel, cancel <= now { isCancelled = true }
        }
        guard let beat = latest.take() else { return sights }
        sights.append(.beat(at: beat.at, missed: beat.missed, taken: now))
      }
    }
    return sights
  }
}
