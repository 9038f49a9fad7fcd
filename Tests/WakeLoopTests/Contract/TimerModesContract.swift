import Testing
import WakeLoop

@Suite("Contract: timers in modes against a plain model")
struct TimerModesContract {
  /// A random program that plays the same in every world in which the same handlers are called in the same order.
  private final class Program {
    private static let modes: [Loop.Mode] = [.default, .tracking, Loop.Mode("mine")]
    private static let places: [Loop.Mode] = modes + [.common]
    private static let policies: [Loop.MissedBeats] = [
      .skip, .skip, .delay, .burst(limit: 0), .burst(limit: 2), .burst(limit: 5),
    ]

    private let world: any TimerModesWorld
    private var random: SplitMix64
    private var oneShots: [Bool] = []
    /// The timers whose handlers are on the stack.
    private var active: [Int] = []
    private var budget = 120
    private var depth = 0
    private(set) var log: [String] = []

    init(seed: UInt64, world: any TimerModesWorld) {
      random = SplitMix64(seed: seed)
      self.world = world
      world.onCall = { [unowned self] timer, late, missed in
        log.append("timer \(timer) at \(world.now), \(late) late, \(missed) missed")
        active.append(timer)
        for _ in 0..<Int.random(in: 0...2, using: &random) { act() }
        active.removeLast()
        log.append("timer \(timer) returns")
      }
    }

    func play() {
      for _ in 0..<Int.random(in: 1...6, using: &random) { add() }
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        run()
        if Bool.random(using: &random) { act() }
      }
    }

    private func run() {
      let mode = Self.modes.randomElement(using: &random) ?? .default
      depth += 1
      let result = world.run(mode, time(120))
      depth -= 1
      log.append("\(result) in \(mode) at \(world.now)")
    }

    /// Small numbers meet each other often, odd ones hide nothing by being round.
    private func time(_ most: Int64) -> Int64 {
      let unit: Int64 = Bool.random(using: &random) ? 1_000_000 : 999_983
      return Int64.random(in: 0...most, using: &random) * unit
    }

    private func place() -> Loop.Mode { Self.places.randomElement(using: &random) ?? .common }

    private func add() {
      let isOneShot = Bool.random(using: &random)
      var modes = [place()]
      let second = place()
      if Bool.random(using: &random) && second != modes[0] { modes.append(second) }
      world.add(
        TimerPlan(
          delay: time(40), interval: isOneShot ? nil : time(20) + 1_000_000,
          tolerance: Int.random(in: 0..<3, using: &random) == 0 ? time(30) : 0,
          policy: Self.policies.randomElement(using: &random) ?? .skip, modes: modes))
      oneShots.append(isOneShot)
    }

    private func act() {
      guard budget > 0 else { return }
      budget -= 1
      let timer = Int.random(in: 0..<oneShots.count, using: &random)
      let place = place()
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1: add()
      case 2: world.invalidate(timer)
      case 3: world.setPaused(timer, true)
      case 4, 5: world.setPaused(timer, false)
      case 6, 7: world.block(time(60))
      // What becomes of a one-shot in its own handler is no matter of modes.
      case 8, 9, 10: if !(oneShots[timer] && active.contains(timer)) { world.join(timer, place) }
      case 11, 12: world.leave(timer, place)
      case 13: if active.count < 6 { world.fire(timer) }
      case 14: if depth < 4 { run() }
      default: break
      }
    }
  }

  @Test("Thousands of random programs of timers that join and leave modes play as in a model without queues")
  func randomPrograms() {
    var calls = 0
    for seed in 0..<6_000 as Range<UInt64> {
      let real = Program(seed: seed, world: LoopTimerModesWorld())
      real.play()
      let plain = Program(seed: seed, world: PlainTimerModesWorld())
      plain.play()
      calls += real.log.count
      if real.log != plain.log {
        let place =
          zip(real.log, plain.log).enumerated().first { $1.0 != $1.1 }?.offset
          ?? min(real.log.count, plain.log.count)
        Issue.record(
          """
          seed \(seed), entry \(place): the loop says \(real.log.dropFirst(place).first ?? "nothing"), \
          the model \(plain.log.dropFirst(place).first ?? "nothing"), after \(real.log.prefix(place).suffix(6))
          """)
        return
      }
    }
    #expect(calls > 100_000, "\(calls) entries")
  }
}
