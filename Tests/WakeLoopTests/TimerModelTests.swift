import Testing
import WakeLoop

@Suite("Timers against a plain model")
struct TimerModelTests {
  /// A random program that plays the same in every world in which the same handlers are called in the same order.
  private final class Program {
    private static let modes: [[Loop.Mode]] = [
      [.default], [.tracking], [.common], [Loop.Mode("mine")], [.default, Loop.Mode("mine")],
      [.common, .tracking],
    ]
    private static let policies: [Loop.MissedBeats] = [
      .skip, .skip, .delay, .burst(limit: 0), .burst(limit: 2), .burst(limit: 5),
    ]

    private let world: any TimerWorld
    private var random: SplitMix64
    private var timers = 0
    private var budget = 80
    private(set) var log: [String] = []

    init(seed: UInt64, world: any TimerWorld) {
      random = SplitMix64(seed: seed)
      self.world = world
      world.onCall = { [unowned self] timer, late, missed in
        log.append("timer \(timer) at \(world.now), \(late) late, \(missed) missed")
        act()
      }
    }

    func play() {
      for _ in 0..<Int.random(in: 1...8, using: &random) { add() }
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        let mode = [.default, .tracking, Loop.Mode("mine")].randomElement(using: &random) ?? .default
        world.advance(time(120), in: mode)
        log.append("advanced to \(world.now)")
        if Bool.random(using: &random) { act() }
      }
    }

    /// Small numbers meet each other often, odd ones hide nothing by being round.
    private func time(_ most: Int64) -> Int64 {
      let unit: Int64 = Bool.random(using: &random) ? 1_000_000 : 999_983
      return Int64.random(in: 0...most, using: &random) * unit
    }

    private func add() {
      world.add(
        TimerPlan(
          delay: time(40), interval: Bool.random(using: &random) ? time(20) + 1_000_000 : nil,
          tolerance: Int.random(in: 0..<3, using: &random) == 0 ? time(30) : 0,
          policy: Self.policies.randomElement(using: &random) ?? .skip,
          modes: Self.modes.randomElement(using: &random) ?? [.common]))
      timers += 1
    }

    private func act() {
      guard budget > 0 else { return }
      budget -= 1
      let timer = Int.random(in: 0..<timers, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: add()
      case 2: world.invalidate(timer)
      case 3: world.setPaused(timer, true)
      case 4, 5: world.setPaused(timer, false)
      case 6, 7: world.block(time(60))
      default: break
      }
    }
  }

  @Test("thousands of random programs of timers play as in a model that searches and counts beat by beat")
  func randomPrograms() {
    var calls = 0
    for seed in 0..<4_000 as Range<UInt64> {
      let real = Program(seed: seed, world: LoopTimerWorld())
      real.play()
      let plain = Program(seed: seed, world: PlainTimerWorld())
      plain.play()
      calls += real.log.count
      if real.log != plain.log {
        let place =
          zip(real.log, plain.log).enumerated().first { $1.0 != $1.1 }?.offset
          ?? min(real.log.count, plain.log.count)
        Issue.record(
          """
          seed \(seed), entry \(place): the loop says \(real.log.dropFirst(place).first ?? "nothing"), \
          the model \(plain.log.dropFirst(place).first ?? "nothing"), after \(real.log.prefix(place).suffix(3))
          """)
        return
      }
    }
    #expect(calls > 100_000, "\(calls) calls")
  }
}
