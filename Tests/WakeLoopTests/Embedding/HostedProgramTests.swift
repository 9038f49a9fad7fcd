import Testing
import WakeLoop
import WakeLoopTesting

/// A random program whose every step is written down, so that it can be played in two ways and compared.
private final class LoggedProgram {
  private(set) var log: [String] = []
  private let virtual: VirtualLoop
  private var random: SplitMix64
  private var timers: [Loop.Timer] = []
  private var budget: Int
  private var sources: [Loop.UserSource] = []

  private var loop: Loop { virtual.loop }

  init(seed: UInt64, on virtual: VirtualLoop) {
    self.virtual = virtual
    random = SplitMix64(seed: seed)
    budget = 40
    let observer = Loop.Observer(activities: .all) { [unowned self] _, activity in
      note("activity \(activity.rawValue)")
    }
    loop.add(observer, forMode: .default)
    for index in 0..<2 {
      let source = Loop.UserSource { [unowned self] in step("source \(index)") }
      loop.add(source, forMode: index == 0 ? .default : .common)
      sources.append(source)
    }
    for _ in 0..<6 { act() }
    // Ends the run, at the latest when nothing nested is left to be ended.
    loop.schedule(every: .seconds(2)) { [unowned self] _ in
      note("stop")
      loop.stop()
    }
  }

  private func note(_ words: String) {
    log.append("\(words) at \(loop.wakeInstant.nanoseconds) in \(loop.stamp.iteration)")
  }

  private func step(_ words: String) {
    note(words)
    if budget > 0 { for _ in 0..<Int.random(in: 0...2, using: &random) { act() } }
  }

  private func act() {
    budget -= 1
    let number = budget
    let delay = Duration.milliseconds(Int64.random(in: 0...60, using: &random) * 5)
    let mode: Loop.Mode = Bool.random(using: &random) ? .default : .common
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      timers.append(
        loop.after(delay, tolerance: .milliseconds(20), in: mode) { [unowned self] _ in step("once \(number)")
        })
    case 2:
      timers.append(
        loop.schedule(every: delay + .milliseconds(40), in: mode) { [unowned self] _ in step("beat \(number)")
        })
    case 3:
      timers.append(
        loop.schedule(at: virtual.wallDate.addingTimeInterval(Double(number) / 100), in: mode) {
          [unowned self] _ in step("date \(number)")
        })
    case 4: loop.perform { [unowned self] in step("perform \(number)") }
    case 5: loop.remote.perform { [number, box = Unchecked(self)] in box.value.step("post \(number)") }
    case 6: sources.randomElement(using: &random)?.signal()
    case 7: timers.randomElement(using: &random)?.invalidate()
    default:
      // A handler that takes its time, or runs the loop.
      if Bool.random(using: &random) {
        virtual.block(for: delay)
      } else if loop.currentMode != nil {
        loop.run(mode: .default, for: delay)
      }
    }
  }
}

/// Lets a post of the loop's own thread carry what stays on it.
private struct Unchecked: @unchecked Sendable {
  unowned let value: LoggedProgram
  init(_ value: LoggedProgram) { self.value = value }
}

@Suite("A hosted loop")
struct HostedProgramTests {
  @Test(
    "1,000 random programs take the same steps, under the same stamps, in a host as in a run of their own")
  func sameSteps() {
    var steps = 0
    for seed in 0..<1_000 as Range<UInt64> {
      let alone = VirtualLoop()
      let program = LoggedProgram(seed: seed, on: alone)
      alone.loop.run()
      let inHost = VirtualLoop()
      let hosted = LoggedProgram(seed: seed, on: inHost)
      let host = VirtualHost(inHost)
      host.run()
      #expect(host.guest.isEnded)
      if hosted.log != program.log {
        let differing = zip(program.log, hosted.log).enumerated().first { $0.element.0 != $0.element.1 }
        Issue.record(
          "seed \(seed): \(program.log.count) steps alone, \(hosted.log.count) in a host; first difference: \(String(describing: differing))"
        )
        return
      }
      steps += program.log.count
    }
    #expect(steps > 50_000, "programs that do hardly anything prove nothing")
  }
}
