import FoundationEssentials
import LoopCore
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Server time, by random programs in virtual time")
struct ServerTimePropertyTests {
  /// What happens to a machine whose clock is watched.
  private final class Life {
    let server: VirtualServer
    let clock: ServerClock
    var random: SplitMix64
    var last = Int64.min
    var lastWake = Int64.min
    var faults: [String] = []
    var alarms = 0
    var alarmsSet = 0
    let seed: UInt64

    init(seed: UInt64) {
      self.seed = seed
      random = SplitMix64(seed: seed)
      server = VirtualServer(
        ahead: .seconds(Int64.random(in: -315_360_000...315_360_000, using: &random)),
        rate: Int64.random(in: -500_000...500_000, using: &random))
      clock = ServerClock(on: server.loop)
    }

    func fault(_ text: String) { faults.append("seed \(seed): \(text)") }

    func duration(upTo bits: Int64) -> Duration {
      .nanoseconds(Int64.random(in: 0...(1 << Int64.random(in: 0...bits, using: &random)), using: &random))
    }

    func check() {
      guard let reading = clock.reading else { return }
      if reading.nanosecondsSince1970 < last {
        fault("went back by \(last - reading.nanosecondsSince1970) ns")
      }
      last = reading.nanosecondsSince1970
      let error = Duration.nanoseconds(abs(reading.nanosecondsSince1970 - server.truth))
      if error > reading.errorBound { fault("wrong by \(error), bound \(reading.errorBound)") }
      if let wake = clock.wakeReading {
        if wake.nanosecondsSince1970 < lastWake { fault("a pass went back") }
        if wake.nanosecondsSince1970 > reading.nanosecondsSince1970 {
          fault("a pass is ahead of the present")
        }
        lastWake = wake.nanosecondsSince1970
      }
    }

    /// The step of a clock: from a second to ten years, either way.
    func step() -> Duration {
      let size = 1 << Int64.random(in: 0...28, using: &random)
      return .seconds((Bool.random(using: &random) ? 1 : -1) * min(size, 315_360_000))
    }

    func act() {
      switch random.next() % 9 {
      case 0: server.virtual.advance(by: duration(upTo: 42))
      case 1: server.virtual.block(for: duration(upTo: 36))
      case 2: server.virtual.sleepMachine(for: duration(upTo: 46))
      case 3: stepWall()
      case 4: server.setRate(Int64.random(in: -500_000...500_000, using: &random))
      case 5: server.virtual.setWallDrift(partsPerMillion: Double.random(in: -500...500, using: &random))
      case 6: setAlarm()
      case 7 where clock.isSynchronized:
        // A lone time, that was under way for a while.
        let date = server.date
        server.virtual.block(for: duration(upTo: 31))
        clock.take(date)
      default: server.ask(clock, out: duration(upTo: 34), back: duration(upTo: 34))
      }
    }

    func stepWall() {
      _ = clock.wasStepped
      let step = step()
      let before = clock.localStep
      server.virtual.stepWallClock(by: step)
      if !clock.wasStepped { fault("a step by \(step) was not noticed") }
      let seen = clock.localStep - before
      if abs((seen - step) / .milliseconds(1)) > 2 { fault("a step by \(step) was taken for one by \(seen)") }
    }

    func setAlarm() {
      guard let reading = clock.reading else { return }
      let date = reading.date + Double.random(in: -10...100_000, using: &random)
      alarmsSet += 1
      clock.schedule(at: date) { [unowned self] _ in
        alarms += 1
        if let now = clock.date, now < date { fault("an alarm came \(date.timeIntervalSince(now)) s early") }
        check()
      }
    }
  }

  @Test("steps, sleeps, drift and stalls: it is monotone, within its bound, and alarms are never early")
  func randomLives() {
    for seed in 0..<400 as Range<UInt64> {
      let life = Life(seed: seed)
      for _ in 0..<150 {
        life.act()
        life.check()
      }
      life.server.virtual.advance(by: .seconds(3_000_000))
      if life.alarms != life.alarmsSet { life.fault("\(life.alarms) of \(life.alarmsSet) alarms came") }
      #expect(life.faults.isEmpty, "\(life.faults.prefix(3))")
    }
  }
}
