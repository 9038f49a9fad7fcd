import LoopCore

/// What the loop keeps of one mode, or of the common set, whose record has index 0 and is never run.
final class ModeRecord {
  static let commonIndex = 0

  let mode: Loop.Mode
  let index: Int
  /// Whether the mode is in the common set, so that a run in it looks at the common record too.
  @exclusivity(unchecked) var isCommon = false
  /// Whether the backend has a place to wait for it.
  @exclusivity(unchecked) var isOpen = false
  /// Runs in this mode that are on the stack.
  @exclusivity(unchecked) var runDepth = 0

  // Constants, since reaching those costs no reference count.
  let suspendingQueue = TimerQueue()
  let continuousQueue = TimerQueue()
  let wallQueue = TimerQueue()
  /// By order, then by age.
  @exclusivity(unchecked) var observers: [ObserverEntry] = []
  /// Every activity that some observer here waits for, so that a pass nobody observes costs a mask test.
  @exclusivity(unchecked) var observed: Loop.Activity = []
  /// Every source here, in no particular order; a source's slot is its place.
  @exclusivity(unchecked) var sources: [Loop.Source] = []
  /// The sources here that are asked before each wait whether something is pending.
  @exclusivity(unchecked) var askedSources: [Loop.Source] = []
  /// Exempt from exclusivity checks like the lists of a pass, and as safe: no handler is called during a change.
  @exclusivity(unchecked) var performs = PerformQueue()
  /// What is registered with the backend; used by records that are open.
  @exclusivity(unchecked) var watches = WatchTable()
  /// Other items that only live here: holds, and those of later kinds.
  @exclusivity(unchecked) var others: [Loop.Item] = []

  /// Items that keep a run from being finished.
  @exclusivity(unchecked) var aliveCount = 0 {
    didSet { assert(aliveCount >= 0, "mode \(mode) counts \(aliveCount) items that keep it alive") }
  }
  /// How many of those have a weak target, and so may have ended unnoticed.
  @exclusivity(unchecked) var weakAliveCount = 0
  /// All items here.
  @exclusivity(unchecked) var itemCount = 0

  init(mode: Loop.Mode, index: Int) {
    self.mode = mode
    self.index = index
  }

  /// Counts an item in or out, if it keeps the loop alive.
  @inline(__always)
  func countAlive(_ item: Loop.Item, _ change: Int) {
    guard item.local.contains(.keepsLoopAlive) else { return }
    if item.hasWeakTarget { weakAliveCount += change }
    aliveCount += change
  }

  /// Whether nothing is left that would make keeping the record worth while.
  var isIdle: Bool {
    itemCount == 0 && performs.holdsNone && runDepth == 0 && !isCommon
      && index != ModeRecord.commonIndex
  }

  /// The queue of one clock.
  @inline(__always)
  func queue(_ clock: ClockDomain) -> TimerQueue {
    switch clock {
    case .suspending: suspendingQueue
    case .continuous: continuousQueue
    case .wall: wallQueue
    }
  }

  /// The earliest instant of a clock by which the loop has to be awake.
  @inline(__always)
  func earliestWake(_ clock: ClockDomain) -> Int64 { queue(clock).earliestWake }

  /// Whether any timer waits on the clocks that most loops never use.
  @inline(__always)
  var usesOtherClocks: Bool { continuousQueue.count != 0 || wallQueue.count != 0 }

  func insert(_ entry: ObserverEntry) {
    let index =
      observers.firstIndex { ($0.order, $0.item.age) > (entry.order, entry.item.age) } ?? observers.count
    observers.insert(entry, at: index)
    observed.formUnion(entry.activities)
  }

  func removeObserver(_ item: Loop.Item) {
    observers.removeAll { $0.item === item }
    observed = observers.reduce(into: []) { $0.formUnion($1.activities) }
  }

  /// Takes a source out in constant time: the last one moves to its place.
  func removeSource(_ source: Loop.Source) {
    let slot = Int(source.slot(in: self))
    assert(sources[slot] === source, "slot \(slot) of mode \(mode) holds another source")
    let last = sources.removeLast()
    if last !== source {
      sources[slot] = last
      last.setSlot(Int32(slot), mode: index)
    }
    source.setSlot(-1, mode: index)
  }

  /// Every item here, in no particular order.
  ///
  /// Linear.
  var items: [Loop.Item] {
    var due: [DueTimer] = []
    for clock in ClockDomain.allCases { queue(clock).copyAll(into: &due) }
    var all = due.map { Loop.Item.unretained($0.payload) }
    all += observers.map(\.item)
    all += sources as [Loop.Item]
    all += others
    all += performs.items as [Loop.Item]
    return all
  }
}

/// An item that is told of the points of a pass.
struct ObserverEntry {
  let item: Loop.Item
  let activities: Loop.Activity
  let order: Int
}

extension Loop.Item {
  /// The bits under which a queue keeps an item.
  @inline(__always)
  final var payload: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// The item of a queue's bits; the loop holds it as long as it is queued.
  @inline(__always)
  static func unretained(_ payload: UInt) -> Loop.Item {
    Unmanaged<Loop.Item>.fromOpaque(UnsafeRawPointer(bitPattern: payload)!).takeUnretainedValue()
  }
}
