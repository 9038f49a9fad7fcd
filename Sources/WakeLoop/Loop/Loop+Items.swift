import LoopCore
import LoopPlatform
import Synchronization

/// What is in the loop: adding, removing, letting go.
extension Loop {
  /// Adds an item to a mode, or to the common modes.
  ///
  /// Adding it twice to one mode, or adding one that has ended, changes nothing. Loop's thread only, which must be
  /// the item's.
  /// - Precondition: The item is in no other loop.
  public func add(_ item: Item, forMode mode: Mode) {
    checkUsable("add(_:forMode:)")
    item.checkThread()
    if isClosed {
      item.endNow()
      return
    }
    if item.isEnded {
      item.end()
      return
    }
    precondition(
      item.loop == nil || item.loop === self,
      "the \(item.kindName) made at \(item.origin.text) is in another loop already; an item belongs to one loop"
    )
    let record = record(of: mode)
    // Another thread may end, pause or signal it before it can see which loop to tell. Of its look for the loop and
    // the looks at its marks in what follows, one comes after the other's word.
    item.mailboxNumber.store(mailbox.number, ordering: .releasing)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    attach(item, to: record)
    if item.isEnded { item.end() }
  }

  /// Takes an item out of a mode; out of its last one, it stays valid and belongs to no loop.
  ///
  /// Loop's thread only.
  public func remove(_ item: Item, forMode mode: Mode) {
    checkUsable("remove(_:forMode:)")
    guard item.loop === self, let record = existingRecord(of: mode),
      item.memberships.contains(where: { $0.mode == Int32(record.index) })
    else { return }
    detach(item, from: record)
  }

  /// Tells whether an item is in a mode, as `CFRunLoopContainsTimer` and its like.
  ///
  /// Loop's thread only.
  public func contains(_ item: Item, inMode mode: Mode) -> Bool {
    checkThread()
    guard item.loop === self, let record = existingRecord(of: mode) else { return false }
    return item.memberships.contains { $0.mode == Int32(record.index) }
  }

  /// Adds a mode to the common set, for good; what is in the common modes acts in it from now on.
  ///
  /// Loop's thread only.
  /// - Precondition: The mode is neither `.common` nor empty.
  public func addCommonMode(_ mode: Mode) {
    checkUsable("addCommonMode(_:)")
    precondition(mode != .common, "the set of common modes can't be a member of itself")
    let record = record(of: mode)
    if record.isCommon { return }
    record.isCommon = true
    if record.isOpen {
      // Opened anew with what is common, its main queue included.
      closeMode(record)
      open(record)
    }
  }

  /// Keeps the loop's runs from being finished, in every mode, until the token is invalidated.
  ///
  /// A held loop sleeps where it would return or spin. Dropping the token does not let go. Loop's thread only.
  public func holdOpen(fileID: StaticString = #fileID, line: UInt = #line) -> Hold {
    let hold = Hold(threadID: threadID, fileID: fileID, line: line)
    add(hold, forMode: .common)
    return hold
  }

  // MARK: Inside

  func attach(_ item: Item, to record: ModeRecord) {
    let index = Int32(record.index)
    if item.membership.mode < 0 {
      item.membership = Item.Membership(mode: index, slot: -1)
      item.loop = self
      item.age = nextAge()
      item.mailboxNumber.store(mailbox.number, ordering: .releasing)
      // Balanced when the item leaves its last mode.
      _ = Unmanaged.passRetained(item)
      if item.hasWeakTarget { listWeak(item) }
    } else {
      if item.memberships.contains(where: { $0.mode == index }) { return }
      item.madeExtras.further.append(Item.Membership(mode: index, slot: -1))
    }
    count(item, in: record, 1)
    item.join(record)
  }

  /// Takes an item out of one mode.
  private func detach(_ item: Item, from record: ModeRecord) {
    item.leave(record)
    count(item, in: record, -1)
    let index = Int32(record.index)
    if item.membership.mode == index {
      if let extras = item.extras, !extras.further.isEmpty {
        item.membership = extras.further.removeFirst()
      } else {
        item.membership = .none
      }
    } else {
      item.extras?.further.removeAll { $0.mode == index }
    }
    if item.membership.mode < 0 { release(item) }
    if record.isIdle && !isClosed { reclaim(record) }
  }

  /// Takes an item out of every mode.
  func detach(_ item: Item) {
    while item.membership.mode >= 0 {
      guard let record = records[Int(item.membership.mode)] else {
        preconditionFailure("\(item) is in a mode that the loop has forgotten")
      }
      detach(item, from: record)
    }
  }

  private func count(_ item: Item, in record: ModeRecord, _ change: Int) {
    record.itemCount += change
    record.countAlive(item, change)
  }

  private func release(_ item: Item) {
    item.mailboxNumber.store(0, ordering: .releasing)
    item.loop = nil
    item.collectedIn = 0
    if item.hasWeakTarget { unlistWeak(item) }
    if item.local.contains(.isListed) {
      item.local.remove(.isListed)
      signalled.removeAll { $0 === item }
    }
    Unmanaged.passUnretained(item).release()
  }

  // MARK: Weak targets

  private func listWeak(_ item: Item) {
    item.madeExtras.weakIndex = weakItems.count
    weakItems.append(item)
  }

  /// Takes an item out of the list in constant time: the last one moves to its place.
  private func unlistWeak(_ item: Item) {
    guard let extras = item.extras, extras.weakIndex >= 0, let last = weakItems.popLast() else { return }
    if last !== item {
      weakItems[extras.weakIndex] = last
      last.madeExtras.weakIndex = extras.weakIndex
    }
    extras.weakIndex = -1
  }

  /// Looks at a few of the items with weak targets and ends those whose target has died.
  func sweepDeadTargets() {
    if weakItems.isEmpty { return }
    for _ in 0..<min(8, weakItems.count) {
      if weakItems.isEmpty { return }
      if sweepCursor >= weakItems.count { sweepCursor = 0 }
      let item = weakItems[sweepCursor]
      if item.isTargetGone { item.endNow() } else { sweepCursor += 1 }
    }
  }

  // MARK: Signalled sources

  /// Takes note that a source has something to serve in the next pass of a run in one of its modes.
  func noteSignalled(_ source: Source) {
    if source.local.contains(.isListed) || source.isEnded { return }
    source.local.insert(.isListed)
    signalled.append(source)
    if hosted != nil { workCame() }
  }

  /// Everything in the loop, in order of age.
  ///
  /// Items in several modes stand here once; items whose target has died are left out. Linear. Loop's thread
  /// only.
  public var items: [Item] {
    checkThread()
    var seen: Set<ObjectIdentifier> = []
    let all = records.compactMap { $0 }.flatMap(\.items) + runs.flatMap(\.lists.items)
    return
      all
      .filter { $0.loop === self }
      .filter { $0.isValid && seen.insert(ObjectIdentifier($0)).inserted }
      .sorted { $0.age < $1.age }
  }

  /// Keeps a loop's runs from being finished, in every mode, until it is invalidated.
  public final class Hold: Item, @unchecked Sendable {
    init(threadID: Int32, fileID: StaticString, line: UInt) {
      super.init(threadID: threadID, keepsLoopAlive: false, fileID: fileID, line: line)
    }

    override var kindName: String { "hold" }

    override func join(_ record: ModeRecord) {
      record.others.append(self)
      loop?.holds += 1
    }

    override func leave(_ record: ModeRecord) {
      record.others.removeAll { $0 === self }
      loop?.holds -= 1
    }
  }
}
