import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Cases: nested runs and order")
struct NestingCases {
  /// What a nested run is started from.
  enum Starter: String, CaseIterable {
    case timer, source, descriptor, perform, observer
  }

  @Test(
    "Case 34: a run nested in any handler, five deep, works; the inner ends first",
    arguments: Starter.allCases)
  func nested(_ starter: Starter) throws {
    let virtual = VirtualLoop()
    var log: [String] = []
    func descend(_ depth: Int) throws {
      let mode = Loop.Mode("depth \(depth)")
      let start = virtual.now
      let stamp = virtual.loop.stamp
      func act() {
        log.append("in \(depth)")
        if depth < 5 { try? descend(depth + 1) }
        log.append("out \(depth)")
      }
      var observer: Loop.Observer?
      switch starter {
      case .timer: virtual.loop.after(.seconds(1), in: mode) { _ in act() }
      case .source:
        let source = Loop.UserSource(perform: act)
        virtual.loop.add(source, forMode: mode)
        source.signal()
      case .descriptor:
        virtual.setReady(Int32(depth), at: start + .seconds(1))
        try virtual.loop.watch(Int32(depth), in: mode) { source, _ in
          source.invalidate()
          act()
        }
      case .perform: virtual.loop.perform(inModes: [mode], block: act)
      case .observer:
        let made = Loop.Observer(activities: .afterWaiting, repeats: false) { _, _ in act() }
        virtual.loop.add(made, forMode: mode)
        observer = made
      }
      virtual.loop.after(.seconds(10), in: mode) { _ in }
      #expect(virtual.loop.run(mode: mode, for: .seconds(2 * Double(6 - depth))) == .timedOut)
      if depth > 1 { #expect(virtual.loop.stamp == stamp) }
      observer?.invalidate()
    }
    try descend(1)
    #expect(log == (1...5).map { "in \($0)" } + (1...5).reversed().map { "out \($0)" })
  }

  @Test(
    "Case 34: a handler on the stack is not entered again by a nested run in its own mode, which does not spin"
  )
  func notReentered() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var depth = 0
    var deepest = 0
    var calls = 0
    var missed = 0
    var waits = 0
    virtual.loop.add(
      Loop.Observer(activities: .beforeWaiting) { _, _ in waits += depth }, forMode: .default)
    let timer = virtual.loop.schedule(every: .seconds(1), in: .default) { pass in
      depth += 1
      deepest = max(deepest, depth)
      calls += 1
      #expect(pass.due == start + .seconds(calls + missed))
      missed += pass.missed
      if calls == 1 {
        let stamp = virtual.loop.stamp
        #expect(virtual.loop.run(mode: .default, for: .milliseconds(3500)) == .timedOut)
        #expect(virtual.now == start + .milliseconds(4500))
        #expect(virtual.loop.stamp == stamp)
      }
      depth -= 1
    }
    virtual.advance(by: .seconds(5))
    #expect(deepest == 1)
    #expect(waits <= 2)
    #expect(calls + missed == 5)
    #expect(timer.missedFires == missed)
  }

  @Test("Case 35: work of the outer run that came while an inner one took the wake is done without waiting")
  func wakeConsumed() {
    let virtual = VirtualLoop()
    let inner = Loop.Mode("inner")
    let log = SharedLog()
    let start = virtual.now
    virtual.loop.after(.seconds(1)) { _ in
      virtual.loop.after(.seconds(5), in: inner) { _ in log.append("inner timer") }
      virtual.script(at: start + .seconds(3)) {
        virtual.loop.remote.perform(inModes: [.default]) { log.append("post") }
        virtual.loop.remote.wakeUp()
      }
      virtual.loop.run(mode: inner, before: .distantFuture)
      log.append("back")
    }
    virtual.loop.after(.seconds(3600)) { _ in log.append("far") }
    virtual.advance(by: .seconds(10))
    #expect(log.entries == ["inner timer", "back", "post"])
  }

  @Test("Case 35: in real time, a post for the outer mode that woke the inner run is served on return")
  func wakeConsumedInRealTime() async {
    let log = await LoopThreadForTests.run { loop -> [String] in
      let log = SharedLog()
      let inner = Loop.Mode("inner")
      let remote = loop.remote
      loop.after(.seconds(3600), in: .default) { _ in log.append("far") }
      loop.perform {
        loop.after(.milliseconds(30), in: inner) { _ in log.append("inner timer") }
        onceWaiting(remote) {
          remote.perform(inModes: [.default]) {
            log.append("post")
            remote.stop()
          }
        }
        _ = loop.run(mode: inner, for: .seconds(60))
        log.append("back")
      }
      log.append("\(loop.run(mode: .default, for: .seconds(60)))")
      return log.entries
    }
    #expect(log.suffix(3) == ["back", "post", "stopped"])
  }

  @Test("Case 36: performs run by order, then by age; those cancelled by earlier ones do not run")
  func performOrder() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let virtual = VirtualLoop()
      let orders = (0..<64).map { _ in Int.random(in: -3...3, using: &random) }
      let victims = (0..<64).map { _ in
        Bool.random(using: &random) ? Int.random(in: 0..<64, using: &random) : -1
      }
      var performs: [Loop.Perform] = []
      var ran: [Int] = []
      for number in 0..<64 {
        performs.append(
          virtual.loop.perform(order: orders[number]) {
            ran.append(number)
            if victims[number] >= 0 { performs[victims[number]].invalidate() }
          })
      }
      var expected: [Int] = []
      var cancelled: Set<Int> = []
      for number in (0..<64).sorted(by: { (orders[$0], $0) < (orders[$1], $1) })
      where !cancelled.contains(number) {
        expected.append(number)
        if victims[number] >= 0 { cancelled.insert(victims[number]) }
      }
      virtual.advance(by: .zero)
      #expect(ran == expected, "seed \(seed)")
    }
  }
}
