import LoopCore
import Testing

/// A random program that is run on the queue and on the plain one beside it.
struct TimerProgram {
  /// What a program draws its numbers from.
  struct Style {
    /// How far apart deadlines may lie; few instants make many equal ones.
    var instants: Int64
    /// How many of ten timers are tolerant.
    var tolerantOfTen: UInt64
    /// Whether numbers come from the ends of the range as well.
    var isExtreme = false
    /// How many timers are aimed at.
    var aim: Int
  }

  let queue = TimerQueue()
  var model = NaiveTimerQueue()
  private var random: SplitMix64
  private let style: Style
  private var now: Int64 = 0
  private var nextPayload: UInt = 0

  init(seed: UInt64, style: Style) {
    random = SplitMix64(seed: seed)
    self.style = style
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps {
      step()
      check()
    }
    popDue(at: .max)
    check()
  }

  mutating func step() {
    let isBelowAim = model.entries.count < style.aim
    switch random.next() % 10 {
    case 0..<(isBelowAim ? 5 : 2): insert()
    case 5, 6: moveOne()
    case 7, 8: removeOne()
    default: popDue(at: nextNow())
    }
  }

  mutating func insert() {
    let deadline = nextDeadline()
    let tolerance = nextTolerance()
    // Ages are unique but not in order of insertion, as those of moved timers aren't.
    let age = UInt64(nextPayload) ^ 0b1011
    let slot = queue.insert(deadline: deadline, tolerance: tolerance, age: age, payload: nextPayload)
    #expect(!model.entries.contains { $0.slot == slot }, "slot \(slot) was in use")
    model.entries.append(
      .init(slot: slot, deadline: deadline, tolerance: tolerance, age: age, payload: nextPayload))
    nextPayload += 1
  }

  private mutating func moveOne() {
    guard let index = model.entries.indices.randomElement(using: &random) else { return }
    let deadline = nextDeadline()
    let tolerance = nextTolerance()
    model.entries[index].deadline = deadline
    model.entries[index].tolerance = tolerance
    let entry = model.entries[index]
    queue.move(entry.slot, deadline: deadline, tolerance: tolerance, age: entry.age)
    #expect(queue.deadline(of: entry.slot) == deadline)
  }

  private mutating func removeOne() {
    guard let index = model.entries.indices.randomElement(using: &random) else { return }
    queue.remove(model.entries.swapRemove(at: index).slot)
  }

  private mutating func popDue(at now: Int64) {
    // What was there before stays in front.
    let earlier = DueTimer(deadline: .max, age: .max, payload: .max)
    var due = [earlier]
    queue.popDue(now: now, into: &due)
    #expect(due == [earlier] + model.popDue(now: now))
  }

  private func check() {
    queue.verify()
    #expect(queue.count == model.entries.count)
    #expect(queue.earliestWake == model.earliestWake)
    #expect(queue.earliestDeadline == model.earliestDeadline)
  }

  private mutating func nextNow() -> Int64 {
    if style.isExtreme { return random.nextExtreme() }
    now += Int64(random.next() % UInt64(style.instants)) / 2
    return now
  }

  private mutating func nextDeadline() -> Int64 {
    if style.isExtreme { return random.nextExtreme() }
    return now - style.instants / 4 + Int64(random.next() % UInt64(style.instants))
  }

  private mutating func nextTolerance() -> Int64 {
    guard random.next() % 10 < style.tolerantOfTen else { return 0 }
    if style.isExtreme { return random.nextExtreme() }
    return random.next() % 8 == 0 ? .max : Int64(random.next() % UInt64(style.instants))
  }
}

extension Array {
  /// Removes one element without keeping the order.
  mutating func swapRemove(at index: Int) -> Element {
    swapAt(index, count - 1)
    return removeLast()
  }
}
