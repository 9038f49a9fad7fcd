extension Loop {
  /// A block handed to the loop to be called once, which can be cancelled until then.
  public final class Perform: Item, @unchecked Sendable {
    /// Performs of lower order are called first; ties go to the older.
    ///
    /// The item's thread only.
    public let order: Int
    private var block: (() -> Void)?
    /// Whether it came from another thread, and so counts as a source when it is handled.
    var isPost = false

    init(order: Int, threadID: Int32, block: @escaping () -> Void, fileID: StaticString, line: UInt) {
      self.order = order
      self.block = block
      super.init(threadID: threadID, keepsLoopAlive: false, fileID: fileID, line: line)
    }

    override var kindName: String { "perform" }

    override func releaseHandlers() { block = nil }

    override func join(_ record: ModeRecord) {
      record.performs.append(waiting(in: record))
      if let loop, loop.hosted != nil { loop.workCame() }
    }

    override func leave(_ record: ModeRecord) { record.performs.remove(self, in: record) }

    override func pauseChanged() {
      forEachRecord { record in
        record.performs.remove(self, in: record)
        record.performs.append(waiting(in: record))
      }
      if let loop, loop.hosted != nil { loop.workCame() }
    }

    private func waiting(in record: ModeRecord) -> PerformRecord {
      PerformRecord(item: self, age: age, mode: record.index, isPost: isPost)
    }

    /// Ends the perform and hands out its block, so that whatever the block does, it is called once.
    func takeBlock() -> (() -> Void)? {
      let taken = block
      endNow()
      return taken
    }
  }
}

/// A perform that waits: a bare block, or an item where one was asked for.
struct PerformRecord {
  /// Nil where `item` has it.
  var block: (() -> Void)?
  var item: Loop.Perform?
  var age: UInt64 = 0
  /// The pass that has collected it, where a nested run has put it back since.
  var collectedIn: UInt32 = 0
  /// The index of the mode in whose queue it waits; narrow, so that a record is forty bytes.
  private var place: Int16
  /// Whether it came from another thread, and so counts as a source when it is handled.
  var isPost: Bool

  init(block: (() -> Void)? = nil, item: Loop.Perform? = nil, age: UInt64, mode: Int, isPost: Bool) {
    precondition(mode <= Int16.max, "a loop has more than \(Int16.max) modes at once")
    self.block = block
    self.item = item
    self.age = age
    place = Int16(truncatingIfNeeded: mode)
    self.isPost = isPost
  }

  var mode: Int32 { Int32(place) }
  var order: Int { item?.order ?? 0 }
}

/// The performs that wait in one mode, in order of age unless one was taken out.
///
/// Appending and taking all are the hot paths and allocate nothing once the arrays have grown.
struct PerformQueue {
  private(set) var records: [PerformRecord] = []
  /// Those that are paused, which no pass takes.
  private var paused: [PerformRecord] = []
  /// Whether some record has an order or an age of its own, so that a pass must sort.
  private var hasOrders = false

  /// Whether no pass would take anything.
  var isEmpty: Bool { records.isEmpty }
  /// Whether nothing waits, be it paused or not.
  var holdsNone: Bool { records.isEmpty && paused.isEmpty }
  /// How many wait, paused ones included.
  var count: Int { records.count + paused.count }
  var items: [Loop.Perform] { records.compactMap(\.item) + paused.compactMap(\.item) }

  mutating func append(_ record: PerformRecord) {
    guard let item = record.item else {
      records.append(record)
      return
    }
    if item.isPaused {
      paused.append(record)
      return
    }
    if item.order != 0 || records.last.map({ $0.age > record.age }) == true { hasOrders = true }
    item.setSlot(Int32(records.count), mode: Int(record.mode))
    records.append(record)
  }

  /// Takes over a whole list of blocks without orders; the list gets this queue's storage, which must be empty.
  mutating func adopt(_ list: inout [PerformRecord]) {
    assert(records.isEmpty, "a queue that holds \(records.count) performs can't take over others")
    swap(&records, &list)
  }

  /// Takes an item out, in constant time if it is not paused: the last record moves to its place.
  ///
  /// One that a pass has taken already is not here, whatever its slot says.
  mutating func remove(_ item: Loop.Perform, in record: ModeRecord) {
    let slot = Int(item.slot(in: record))
    if records.indices.contains(slot) && records[slot].item === item {
      let last = records.removeLast()
      if slot == records.count { return }
      records[slot] = last
      last.item?.setSlot(Int32(slot), mode: record.index)
      hasOrders = true
    } else if !paused.isEmpty {
      paused.removeAll { $0.item === item }
    }
  }

  /// Puts back, in front of all others, what a pass had taken and has not called.
  mutating func putBack(_ taken: [PerformRecord]) {
    records.insert(contentsOf: taken, at: 0)
    number()
    if taken.contains(where: { $0.order != 0 }) { hasOrders = true }
  }

  /// Takes out what the pass `pass` had collected and a nested run has put back.
  mutating func takeBack(collectedIn pass: UInt32, into list: inout [PerformRecord]) {
    guard records.contains(where: { $0.collectedIn == pass }) else { return }
    list += records.lazy.filter { $0.collectedIn == pass }
    records.removeAll { $0.collectedIn == pass }
    number()
  }

  /// Tells the items their places.
  private func number() {
    for (slot, record) in records.enumerated() { record.item?.setSlot(Int32(slot), mode: Int(record.mode)) }
  }

  /// Moves everything into `list`, which must be empty, and leaves its storage here.
  ///
  /// Returns whether the list needs sorting by order.
  mutating func takeAll(into list: inout [PerformRecord]) -> Bool {
    assert(list.isEmpty, "a pass's list still holds \(list.count) performs")
    swap(&records, &list)
    defer { hasOrders = false }
    return hasOrders
  }

  /// Appends everything to `list`.
  ///
  /// Returns whether the list needs sorting by order.
  mutating func appendAll(to list: inout [PerformRecord]) -> Bool {
    list += records
    records.removeAll(keepingCapacity: true)
    defer { hasOrders = false }
    return hasOrders
  }
}
