import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("A board of countdowns")
struct CountdownBoardTests {
  final class Cell {
    var shown: [Int64] = []
  }

  /// Counts the passes in which a virtual loop woke.
  private func countPasses(_ virtual: VirtualLoop) -> () -> Int {
    final class Count { var value = 0 }
    let count = Count()
    let observer = Loop.Observer(activities: .afterWaiting) { _, _ in count.value += 1 }
    virtual.loop.add(observer, forMode: .common)
    return { count.value }
  }

  @Test("a thousand rows cost one wake-up a second, and each shows each of its values once")
  func thousand() {
    let virtual = VirtualLoop()
    let board = CountdownBoard<Int>(on: virtual.loop)
    var random = SplitMix64(seed: 31)
    var shown: [[Int64]] = Array(repeating: [], count: 1000)
    for key in 0..<1000 {
      board.set(.nanoseconds(Int64.random(in: 60_000_000_000...90_000_000_000, using: &random)), for: key)
      board.subscribe(key) { shown[key].append($0.count) }
    }
    #expect(shown.allSatisfy { $0.count == 1 })
    let passes = countPasses(virtual)
    virtual.loop.run()
    #expect((90...92).contains(passes()), "\(passes()) passes")
    #expect(shown.allSatisfy { values in values == (0...values[0]).reversed() })
    #expect(board.countingSubscriptions == 0 && board.count == 1000)
    #expect(virtual.loop.items.count == 1)
  }

  @Test("only what is subscribed to is told, the right value at once, and nothing subscribed costs nothing")
  func subscribed() {
    let virtual = VirtualLoop()
    let board = CountdownBoard<String>(on: virtual.loop)
    board.set(.seconds(100), for: "a")
    board.set(.seconds(200), for: "b")
    let passes = countPasses(virtual)
    virtual.advance(by: .milliseconds(10_500))
    #expect(passes() == 0)
    var a: [Int64] = []
    board.subscribe("a") { a.append($0.count) }
    #expect(a == [90])
    virtual.advance(by: .milliseconds(1_500))
    #expect(a == [90, 89, 88])
    board.unsubscribe("a")
    let before = passes()
    virtual.advance(by: .seconds(50))
    #expect(a == [90, 89, 88] && passes() == before)
    #expect(board.reading(of: "a")?.count == 38 && board.reading(of: "b")?.text() == "02:18")
    #expect(board.reading(of: "c") == nil)
  }

  @Test("a reused cell shows its new row at once and never again the old one")
  func reuse() {
    let virtual = VirtualLoop()
    let board = CountdownBoard<Int>(on: virtual.loop)
    for key in 0..<100 { board.set(.seconds(1_000 * (key + 1)), for: key) }
    let cell = Cell()
    for key in 0..<100 {
      board.subscribe(key, for: cell) { $0.shown.append($1.count) }
      #expect(cell.shown.last == Int64(1_000 * (key + 1)))
    }
    #expect(board.countingSubscriptions == 1)
    cell.shown = []
    virtual.advance(by: .seconds(2))
    #expect(cell.shown == [99_999, 99_998])
    board.unsubscribe(cell: cell)
    virtual.advance(by: .seconds(2))
    #expect(cell.shown.count == 2)
  }

  @Test("a cell is not kept alive, and its death ends its subscription")
  func deadCell() {
    let virtual = VirtualLoop()
    let board = CountdownBoard<Int>(on: virtual.loop)
    board.set(.seconds(1_000), for: 1)
    weak var held: Cell?
    do {
      let cell = Cell()
      held = cell
      board.subscribe(1, for: cell) { $0.shown.append($1.count) }
      virtual.advance(by: .seconds(1))
      #expect(cell.shown == [1_000, 999])
    }
    #expect(held == nil)
    virtual.advance(by: .seconds(1))
    #expect(board.countingSubscriptions == 0)
    #expect(virtual.loop.items.isEmpty)
  }

  @Test("an end is told once and never early; a new end is told at once")
  func ends() {
    let virtual = VirtualLoop()
    let board = CountdownBoard<Int>(on: virtual.loop)
    let start = virtual.now
    var told: [String] = []
    board.subscribe(1) { told.append("\($0.count) at \(virtual.now - start)") }
    #expect(told.isEmpty)
    board.set(.milliseconds(1_500), for: 1)
    virtual.loop.run()
    board.set(.seconds(1), for: 1)
    virtual.loop.run()
    #expect(
      told == [
        "2 at 0.0 seconds", "1 at 1.0 seconds", "0 at 2.0 seconds", "1 at 2.0 seconds", "0 at 3.0 seconds",
      ])
  }

  @Test("rows may be subscribed, removed and set while all are told")
  func inside() {
    let virtual = VirtualLoop()
    let board = CountdownBoard<Int>(on: virtual.loop)
    var told: [String] = []
    for key in 1...3 { board.set(.seconds(10 * key), for: key) }
    board.subscribe(1) { reading in
      told.append("1: \(reading.count)")
      guard reading.count == 9 else { return }
      board.remove(2)
      board.subscribe(3) { told.append("3: \($0.count)") }
      board.unsubscribe(1)
    }
    board.subscribe(2) { told.append("2: \($0.count)") }
    virtual.advance(by: .seconds(2))
    #expect(told == ["1: 10", "2: 20", "1: 9", "3: 29", "3: 28"])
    #expect(board.count == 2)
  }

  @Test("by the wall, rows tick on whole seconds and follow a clock that is set")
  func wall() {
    let virtual = VirtualLoop(wallDate: VirtualLoop.startDate + 0.25)
    let board = CountdownBoard<Int>(clock: .wall, on: virtual.loop)
    board.set(until: VirtualLoop.startDate + 5, for: 1)
    var told: [Int64] = []
    var fractions: [Double] = []
    board.subscribe(1) {
      told.append($0.count)
      fractions.append(virtual.wallDate.timeIntervalSince(VirtualLoop.startDate))
    }
    virtual.advance(by: .seconds(1))
    virtual.stepWallClock(by: .seconds(-3600))
    virtual.advance(by: .milliseconds(1))
    virtual.stepWallClock(by: .seconds(7200))
    virtual.loop.run()
    #expect(told == [5, 4, 3604, 0])
    #expect(fractions[1] == 1)
  }

  @Test("a board that counts is held by its loop, and goes when nothing counts any more")
  func lettingGo() {
    let virtual = VirtualLoop()
    weak var held: CountdownBoard<Int>?
    var told: [Int64] = []
    do {
      let board = CountdownBoard<Int>(on: virtual.loop)
      held = board
      board.set(.seconds(2), for: 1)
      board.subscribe(1) { told.append($0.count) }
    }
    #expect(held != nil)
    virtual.loop.run()
    #expect(told == [2, 1, 0])
    #expect(held == nil)
  }
}
