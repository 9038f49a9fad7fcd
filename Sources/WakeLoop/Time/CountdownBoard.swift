public import FoundationEssentials
import LoopCore

/// Thousands of countdowns under keys, told to whoever displays them by one wake-up a second.
///
/// The rows of a long list each have an end; only a dozen are on the screen. A board knows all the ends, and tells those
/// that are subscribed to, all in one pass, on whole units of the clock. While nothing subscribed still counts, it wakes
/// nobody.
///
/// Cells are reused: a cell subscribes to another key when it scrolls, which ends its subscription to the one before, and
/// is told the right value at once.
///
/// ```swift
/// let board = CountdownBoard<Int>()
/// board.set(.seconds(90), for: 17)
/// board.subscribe(17, for: cell) { cell, reading in cell.show(reading.text()) }
/// ```
///
/// A value is told once and values follow each other without gaps while the loop keeps up; an end is told with the
/// first wake-up at which nothing remains, so never early. A board lives in its loop as long as a subscription counts.
/// It belongs to the thread that made it, which is its loop's.
public final class CountdownBoard<Key: Hashable> {
  private let loop: Loop
  private let mode: Loop.Mode
  private let clock: CountdownClock
  private let units: RemainingUnits
  /// The instants, in readings of the clock, at which all are told.
  private let grid: Grid
  private let fileID: StaticString
  private let line: UInt

  private var rows: [Key: Row] = [:]
  private var cells: [ObjectIdentifier: Subscription] = [:]
  /// The subscriptions that count, in the order in which they are told; those that no longer do stay until the next
  /// turn.
  private var listed: [Subscription] = []
  private var item: Loop.Appointment?
  private var isTelling = false

  /// Makes an empty board.
  ///
  /// - Parameters:
  ///   - resolution: The unit that is shown, and how far apart the wake-ups are.
  ///   - clock: What the countdowns go by. The continuous clock also counts while the machine sleeps.
  ///   - mode: Where it acts.
  ///   - loop: Its loop; nil is this thread's.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The resolution is positive.
  public init(
    resolution: Duration = .seconds(1), clock: CountdownClock = .continuous, in mode: Loop.Mode = .common,
    on loop: Loop? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    precondition(resolution > .zero, "a board of countdowns can't have a resolution of \(resolution)")
    self.loop = loop ?? Loop.here
    self.loop.checkThread()
    self.mode = mode
    self.clock = clock
    units = RemainingUnits(resolution: resolution.clampedNanoseconds)
    // Ends that are dates mostly lie on whole seconds; where there are no dates, any phase is as good.
    grid = Grid(origin: clock.isDated ? 0 : clock.now(in: self.loop), interval: units.resolution)
    self.fileID = fileID
    self.line = line
  }

  // MARK: Ends

  /// How many keys have an end.
  public var count: Int {
    loop.checkThread()
    return rows.values.lazy.filter { $0.end != nil }.count
  }

  /// Gives a key an end so far from now, in place of the one it had.
  public func set(_ remaining: Duration, for key: Key) {
    loop.checkThread()
    setEnd(saturatingAdd(clock.now(in: loop), max(0, remaining.clampedNanoseconds)), key)
  }

  /// Gives a key an end at a date, in place of the one it had.
  ///
  /// A clock without dates, as the continuous one, has it converted now.
  /// - Precondition: The date is not NaN.
  public func set(until date: Date, for key: Key) {
    loop.checkThread()
    setEnd(clock.reading(at: DatedInstant(date, "the end of a countdown"), in: loop), key)
  }

  /// Takes a key off the board and ends its subscriptions.
  public func remove(_ key: Key) {
    loop.checkThread()
    guard let row = rows.removeValue(forKey: key) else { return }
    for subscription in row.subscriptions { end(subscription, leaving: nil) }
    schedule()
  }

  /// What a key shows now, by the true time; nil if it has no end.
  public func reading(of key: Key) -> CountdownReading? {
    loop.checkThread()
    return rows[key]?.end.map { CountdownReading(units, at: clock.now(in: loop), until: $0) }
  }

  private func setEnd(_ end: Int64, _ key: Key) {
    let row = row(of: key)
    row.end = end
    let now = clock.now(in: loop)
    for subscription in row.subscriptions {
      subscription.told = nil
      list(subscription)
      tell(subscription, at: now)
    }
    schedule()
  }

  // MARK: Subscriptions

  /// How many subscriptions still count.
  public private(set) var countingSubscriptions = 0

  /// Tells a closure what a key shows: at once, and whenever that changes until nothing remains.
  ///
  /// In place of the closure that the key had. A key without an end is told when it gets one.
  public func subscribe(_ key: Key, tell: @escaping (CountdownReading) -> Void) {
    loop.checkThread()
    let row = row(of: key)
    if let earlier = row.subscriptions.first(where: { !$0.hasCell }) { end(earlier, leaving: row) }
    begin(Subscription(row: row, key: key, cell: nil, tell: tell), in: row)
  }

  /// Tells a cell what a key shows: at once, and whenever that changes until nothing remains.
  ///
  /// In place of whatever key the cell was subscribed to. The cell is not kept alive; its death ends the subscription.
  public func subscribe<Cell: AnyObject>(
    _ key: Key, for cell: Cell, tell: @escaping (Cell, CountdownReading) -> Void
  ) {
    loop.checkThread()
    unsubscribe(cell: cell)
    let row = row(of: key)
    let subscription = Subscription(row: row, key: key, cell: cell) { [weak cell] reading in
      if let cell { tell(cell, reading) }
    }
    cells[ObjectIdentifier(cell)] = subscription
    begin(subscription, in: row)
  }

  /// Ends all subscriptions to a key; the key keeps its end.
  public func unsubscribe(_ key: Key) {
    loop.checkThread()
    guard let row = rows[key] else { return }
    for subscription in row.subscriptions { end(subscription, leaving: row) }
    schedule()
  }

  /// Ends the subscription of a cell, if it has one.
  public func unsubscribe(cell: AnyObject) {
    loop.checkThread()
    guard let subscription = cells[ObjectIdentifier(cell)] else { return }
    end(subscription, leaving: subscription.row)
    schedule()
  }

  private func begin(_ subscription: Subscription, in row: Row) {
    row.subscriptions.append(subscription)
    guard row.end != nil else { return }
    list(subscription)
    tell(subscription, at: clock.now(in: loop))
    schedule()
  }

  private func end(_ subscription: Subscription, leaving row: Row?) {
    subscription.tell = nil
    setCounting(subscription, false)
    if let cell = subscription.cellID, cells[cell] === subscription { cells[cell] = nil }
    guard let row else { return }
    row.subscriptions.removeAll { $0 === subscription }
    if row.subscriptions.isEmpty && row.end == nil { rows[subscription.key] = nil }
  }

  // MARK: Telling

  private func row(of key: Key) -> Row {
    if let row = rows[key] { return row }
    let row = Row()
    rows[key] = row
    return row
  }

  private func list(_ subscription: Subscription) {
    setCounting(subscription, true)
    if subscription.isListed { return }
    subscription.isListed = true
    listed.append(subscription)
  }

  private func setCounting(_ subscription: Subscription, _ counts: Bool) {
    if subscription.counts == counts { return }
    subscription.counts = counts
    countingSubscriptions += counts ? 1 : -1
  }

  private func tell(_ subscription: Subscription, at now: Int64) {
    guard let end = subscription.row?.end, let tell = subscription.tell else { return }
    let reading = CountdownReading(units, at: now, until: end)
    if reading.count == subscription.told { return }
    subscription.told = reading.count
    if reading.isOver { setCounting(subscription, false) }
    tell(reading)
  }

  /// Tells everybody, in a pass.
  private func act(at now: Int64) {
    // By the wake-up's place on the grid and not by the now, which is a little later: else a row whose end lies just
    // beside the grid would skip a value or show one twice.
    tellAll(at: grid.beat(atOrBefore: now))
    schedule()
  }

  private func tellAll(at now: Int64) {
    isTelling = true
    // What a handler subscribes goes behind, and is told its first value on the spot.
    for index in 0..<listed.count {
      let subscription = listed[index]
      if !subscription.counts { continue }
      if subscription.isCellGone {
        end(subscription, leaving: subscription.row)
      } else {
        tell(subscription, at: now)
      }
    }
    isTelling = false
    listed.removeAll { subscription in
      if !subscription.counts { subscription.isListed = false }
      return !subscription.counts
    }
  }

  private func clockChanged() {
    // What was over stays over for who was told so.
    for subscription in listed where subscription.counts { subscription.told = nil }
    tellAll(at: clock.now(in: loop))
    schedule()
  }

  /// Sets the next wake-up, or goes out of the loop where there is nothing to tell.
  private func schedule() {
    if isTelling { return }
    if countingSubscriptions == 0 {
      item?.invalidate()
      item = nil
    } else {
      let item = item ?? makeItem()
      item.move(to: clock.wakeInstant(for: grid.beat(after: clock.now(in: loop))))
    }
  }

  private func makeItem() -> Loop.Appointment {
    let item = Loop.Appointment(
      "countdown board", for: loop, clock: clock.underlying.domain, fileID: fileID, line: line
    ) { now in self.act(at: self.clock.reading(at: now)) }
    item.onEnd = clock.observeChanges(in: loop) { [weak self] in self?.clockChanged() }
    self.item = item
    loop.add(item, forMode: mode)
    return item
  }

  // MARK: Parts

  private final class Row {
    /// The reading of the clock at which nothing remains; nil until it is set.
    var end: Int64?
    var subscriptions: [Subscription] = []
  }

  private final class Subscription {
    weak var row: Row?
    let key: Key
    private weak var cell: AnyObject?
    let cellID: ObjectIdentifier?
    var tell: ((CountdownReading) -> Void)?
    /// The count that was told last, nil before the first.
    var told: Int64?
    /// Whether it is still to be told something.
    var counts = false
    /// Whether it stands in the list, which may be longer.
    var isListed = false

    init(row: Row, key: Key, cell: AnyObject?, tell: @escaping (CountdownReading) -> Void) {
      self.row = row
      self.key = key
      self.cell = cell
      cellID = cell.map { ObjectIdentifier($0) }
      self.tell = tell
    }

    var hasCell: Bool { cellID != nil }
    var isCellGone: Bool { hasCell && cell == nil }
  }
}
