import FoundationEssentials
import WakeLoop
import WakeLoopTesting

/// A random program of timers, observers, performs, user and descriptor sources, nested runs and mode changes
/// in virtual time; every handler of it records the stamp that it sees.
final class ConsistentNowProgram {
  private static let modes: [Loop.Mode] = [.default, .tracking, Loop.Mode("a"), Loop.Mode("b")]
  private static let places: [Loop.Mode] = modes + [.common, .common]

  let checker = StampChecker()
  private let virtual = VirtualLoop()
  private var random: SplitMix64
  private var items: [Loop.Item] = []
  private var userSources: [Loop.UserSource] = []
  /// How many things handlers may still do: a program has an end.
  private var budget = 60

  private var loop: Loop { virtual.loop }

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Plays the program to its end.
  func play() {
    // One observer of everything in each mode, so that the checker knows every pass.
    for mode in Self.modes { addObserver(.all, to: mode) }
    for _ in 0..<Int.random(in: 3...10, using: &random) { addSomething() }
    for _ in 0..<Int.random(in: 2...5, using: &random) { runSomehow() }
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private func place() -> Loop.Mode { Self.places.randomElement(using: &random) ?? .common }
  private func delay() -> Duration { .milliseconds(Int64.random(in: 0...40, using: &random) * 5) }

  // MARK: Items

  private func addSomething() {
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: addTimer(repeats: false)
    case 2: addTimer(repeats: true)
    case 3: addObserver(Loop.Activity(rawValue: UInt.random(in: 1...255, using: &random)), to: place())
    case 4: addUserSource()
    case 5: addDescriptorSource()
    case 6: addPost()
    case 7: addAlarm()
    default: addPerform()
    }
  }

  private func addTimer(repeats: Bool) {
    let tolerance = chance(30) ? delay() : .zero
    let body: (Loop.Pass) -> Void = { [unowned self] pass in onTimer(pass) }
    items.append(
      repeats
        ? loop.schedule(every: delay() + .milliseconds(5), tolerance: tolerance, in: place(), body)
        : loop.after(delay(), tolerance: tolerance, in: place(), body))
  }

  private func addAlarm() {
    let date = virtual.wallDate.addingTimeInterval(Double.random(in: -0.01...0.2, using: &random))
    items.append(
      loop.schedule(at: date, in: place()) { [unowned self] pass in
        if pass.date < date { checker.fail("an alarm for \(date) ran at \(pass.date)") }
        onTimer(pass)
      })
  }

  private func onTimer(_ pass: Loop.Pass) {
    checker.handler(.timers, on: loop) {
      if pass.stamp != loop.stamp { checker.fail("a timer was given \(pass.stamp) under \(loop.stamp)") }
      if pass.instant < pass.due { checker.fail("a timer due at \(pass.due) ran at \(pass.instant)") }
      act()
    }
  }

  private func addObserver(_ activities: Loop.Activity, to mode: Loop.Mode) {
    let order = Int.random(in: -2...2, using: &random)
    let isQuiet = activities == .all
    let observer = Loop.Observer(activities: activities, repeats: isQuiet || chance(70), order: order) {
      [unowned self] _, activity in
      checker.handler(Self.phase(of: activity), on: loop) { if !isQuiet { act() } }
    }
    loop.add(observer, forMode: mode)
    if !isQuiet { items.append(observer) }
  }

  private static func phase(of activity: Loop.Activity) -> StampChecker.Phase {
    switch activity {
    case .entry: .entry
    case .beforeTimers: .beforeTimers
    case .beforeSources: .beforeSources
    case .beforeWaiting: .beforeWaiting
    case .afterWaiting: .afterWaiting
    default: .exit
    }
  }

  private func addUserSource() {
    let source = Loop.UserSource(order: Int.random(in: -1...1, using: &random)) { [unowned self] in
      checker.handler(.sources, on: loop) { act() }
    }
    loop.add(source, forMode: place())
    source.signal()
    userSources.append(source)
    items.append(source)
  }

  private func addDescriptorSource() {
    let descriptor = Int32.random(in: 3...6, using: &random)
    virtual.setReady(descriptor, at: virtual.now + delay())
    let source = try? loop.watch(descriptor, in: place()) { [unowned self] _, _ in
      checker.handler(.sources, on: loop) {
        virtual.clearReady(descriptor)
        act()
      }
    }
    if let source { items.append(source) }
  }

  private func addPerform() {
    let order = Int.random(in: -1...1, using: &random)
    items.append(
      loop.perform(order: order, inModes: [place()]) { [unowned self] in
        checker.handler(.performs, on: loop) { act() }
      })
  }

  private func addPost() {
    // Virtual time is one thread: nothing is really sent.
    nonisolated(unsafe) let program = Unmanaged.passUnretained(self)
    loop.remote.perform(inModes: [place()]) {
      let program = program.takeUnretainedValue()
      program.checker.handler(.performs, on: program.loop) { program.act() }
    }
  }

  // MARK: What handlers do

  private func act() {
    for _ in 0..<Int.random(in: 0...2, using: &random) where budget > 0 {
      budget -= 1
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2, 3: addSomething()
      case 4: items.randomElement(using: &random)?.invalidate()
      case 5: virtual.block(for: delay())
      case 6: userSources.randomElement(using: &random)?.signal()
      case 7: loop.stop()
      case 8: virtual.stepWallClock(by: .milliseconds(Int64.random(in: -5_000...5_000, using: &random)))
      case 9: if let item = items.randomElement(using: &random) { item.isPaused.toggle() }
      default: if checker.depth < 4 { nest() }
      }
    }
  }

  private func nest() {
    let stamp = loop.stamp
    runSomehow()
    checker.returned()
    if loop.stamp != stamp { checker.fail("a nested run left \(loop.stamp) where \(stamp) was") }
  }

  private func runSomehow() {
    let mode = Self.modes.randomElement(using: &random) ?? .default
    checker.run {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: _ = loop.run(mode: mode, for: delay() * 4)
      case 1: _ = loop.run(mode: mode, for: delay() * 4, returnAfterSourceHandled: true)
      case 2: _ = loop.run(mode: mode, before: virtual.wallDate.addingTimeInterval(0.1))
      default: _ = virtual.advance(by: delay() * 2, mode: mode)
      }
    }
  }
}
