import LoopPlatform
import Synchronization

extension Loop {
  // Sendable is unchecked because the members for any thread touch only atomics and the mailbox, and all
  // others check that they are called on the item's own thread.
  /// What one adds to a loop: timers, sources, observers and performs are its kinds.
  ///
  /// What was added lives in the loop until it ends; dropping the reference changes nothing. `invalidate()`,
  /// `isValid` and `isPaused` may be used from any thread, every other member only on the thread that made
  /// the item, and only there can it be added: so a plain closure never runs elsewhere.
  public class Item: @unchecked Sendable {
    // The members are exempt from the runtime's exclusivity checks, which cost more than what they guard: they
    // belong to one thread, and none is handed out by reference while a handler could run.

    /// What any thread may change: see `Flags`.
    final let flags = Atomic<UInt32>(0)
    /// The number of the mailbox of the loop that holds the item, 0 for none; read by foreign threads.
    final let mailboxNumber = Atomic<UInt32>(0)
    /// The thread that may use the item.
    final var threadID: Int32
    /// The low half of the stamp's number under which a pass has collected the item, 0 for none.
    @exclusivity(unchecked) final var collectedIn: UInt32 = 0
    /// The loop that holds the item; it lives at least as long as the item's membership.
    @exclusivity(unchecked) final unowned(unsafe) var loop: Loop?
    /// Grows with each adding; ties go to the lower.
    @exclusivity(unchecked) final var age: UInt64 = 0
    /// The first membership, which is nearly always the only one; the others are in `extras`.
    @exclusivity(unchecked) final var membership = Membership.none
    @exclusivity(unchecked) final var extras: Extras?
    final let origin: Origin
    /// State of the loop's own thread: see `Local`.
    @exclusivity(unchecked) final var local: Local

    init(threadID: Int32, keepsLoopAlive: Bool, fileID: StaticString, line: UInt) {
      self.threadID = threadID
      origin = Origin(fileID, line)
      local = keepsLoopAlive ? .keepsLoopAlive : []
    }

    // MARK: What each kind answers for itself

    /// Takes its place in a mode; called once a membership, on the loop's thread.
    func join(_ record: ModeRecord) {}

    /// Leaves a mode; called once a membership, on the loop's thread.
    func leave(_ record: ModeRecord) {}

    /// Acts on a change of `isPaused`, on the loop's thread.
    func pauseChanged() {}

    /// Takes note that a pass has taken the item out of a mode's queue because it is due.
    func wasCollected(from record: ModeRecord) {}

    /// Goes back to its queues, since a nested run begins before the item's turn has come.
    func putBack() {}

    /// Does what is due; the pass has checked that it may.
    func serveDue(in loop: Loop, run: Run) {}

    /// Gives up what is due, since the item can't be called now, without making the pass spin.
    func skipDue(in loop: Loop) {}

    /// Is told of a point of a pass; the loop has checked that it may.
    func observe(_ activity: Activity) {}

    /// Lets go of closures, on the item's own thread, once.
    func releaseHandlers() {}

    /// Whether the item has a weak target that has died.
    var isTargetGone: Bool { false }

    /// What the item is called in reports and inventories.
    var kindName: String { "item" }

    // MARK: Public state

    /// Whether the item can still act: true until it is invalidated, has served its one time or lost its target.
    ///
    /// Any thread.
    public final var isValid: Bool {
      flags.load(ordering: .acquiring) & Flags.ended == 0 && !isTargetGone
    }

    /// Ends the item for good.
    ///
    /// Any thread. No call starts after it returns; it never waits for one that runs. On the loop's thread the
    /// closure is released at once, from another thread by the pass that this call wakes. Calling it again
    /// changes nothing.
    public final func invalidate() {
      let before = flags.bitwiseOr(Flags.ended, ordering: .acquiringAndReleasing).oldValue
      if before & Flags.ended != 0 { return }
      if ThreadState.threadID == threadID {
        end()
      } else {
        postUpdate()
      }
    }

    /// Whether the item is out of action until it is resumed; a Bool, not a count.
    ///
    /// Any thread. Setting what it is already changes nothing. A paused item may be dropped, cancelled and
    /// re-dated like any other.
    public final var isPaused: Bool {
      get { flags.load(ordering: .acquiring) & Flags.paused != 0 }
      set {
        let before =
          newValue
          ? flags.bitwiseOr(Flags.paused, ordering: .acquiringAndReleasing).oldValue
          : flags.bitwiseAnd(~Flags.paused, ordering: .acquiringAndReleasing).oldValue
        if (before & Flags.paused != 0) == newValue || before & Flags.ended != 0 { return }
        if ThreadState.threadID == threadID {
          if loop != nil { pauseChanged() }
        } else {
          postUpdate()
        }
      }
    }

    /// A name for reports and inventories.
    ///
    /// The item's thread only.
    public final var name: String? {
      get {
        checkThread()
        return extras?.name
      }
      set {
        checkThread()
        if newValue != nil || extras != nil { madeExtras.name = newValue }
      }
    }

    /// Whether the item keeps a run from being finished; true for all but observers unless set otherwise.
    ///
    /// An item that keeps nothing alive acts while the loop runs. The item's thread only.
    public final var keepsLoopAlive: Bool {
      get {
        checkThread()
        return local.contains(.keepsLoopAlive)
      }
      set {
        checkThread()
        setKeepsLoopAlive(newValue)
      }
    }

    /// The modes that the item is in, the common modes as one; empty if it is in no loop.
    ///
    /// The item's thread only.
    public final var modes: [Loop.Mode] {
      checkThread()
      return memberships.compactMap { loop?.records[Int($0.mode)]?.mode }
    }

    /// Stops with a sentence that names both threads if this is not the item's.
    @inline(__always)
    final func checkThread() {
      let here = ThreadState.threadID
      if here != threadID { failThread(here) }
    }

    @inline(never)
    private final func failThread(_ here: Int32) -> Never {
      preconditionFailure(
        "the \(kindName) made at \(origin.text) belongs to thread \(threadID) and was used on thread \(here); "
          + "only isValid, isPaused and invalidate() may be used from another thread"
          + (ForkGeneration.current == 0 ? "" : ", and nothing of a loop inherited over fork()"))
    }
  }
}

extension Loop.Item: CustomStringConvertible {
  /// What the item is and where it was made.
  public var description: String {
    let mark = flags.load(ordering: .acquiring) & Loop.Item.Flags.ended == 0 ? "" : ", ended"
    return "\(kindName) from \(origin.text)\(mark)"
  }
}

extension Loop.Item {
  /// What any thread may set.
  enum Flags {
    static let ended: UInt32 = 1
    static let paused: UInt32 = 2
    /// A user source was signalled and not served since.
    static let signalled: UInt32 = 4
    /// The item has a weak target; here, because any thread may ask whether the item is valid.
    static let hasWeakTarget: UInt32 = 8
  }

  /// What only the item's own thread touches.
  struct Local: OptionSet {
    let rawValue: UInt8
    /// The item counts against a run's being finished.
    static let keepsLoopAlive = Local(rawValue: 1)
    /// The item's handler is on the stack.
    static let isOnStack = Local(rawValue: 2)
    /// The fire date was given as a `Date` and is read on the suspending clock.
    static let followsDate = Local(rawValue: 8)
    /// The item stands in the list of a phase for the next look.
    static let isListed = Local(rawValue: 32)
    /// Handlers have been let go.
    static let isReleased = Local(rawValue: 64)
    /// What is due is a frame, and comes last in the pass.
    static let isFramePaced = Local(rawValue: 128)
  }

  /// A place in one mode.
  struct Membership: Equatable {
    /// The record's index, -1 for none.
    var mode: Int32
    /// What the kind keeps there: a timer's slot in that mode's queue, -1 for none.
    var slot: Int32

    static let none = Membership(mode: -1, slot: -1)
  }

  /// What few items need, kept out of the way of the many.
  final class Extras {
    var name: String?
    var further: [Membership] = []
    var userInfo: Any?
    /// Nanoseconds.
    var tolerance: Int64 = 0
    /// Seconds since the reference date at which a timer is next due, as they were set; NaN if never asked.
    var fireDate = Double.nan
    var target = WeakTarget()
    var performKey: String?
    /// The place in the loop's list of items with weak targets.
    var weakIndex = -1
    var cancelHandler: (() -> Void)?
  }

  /// A weak reference to a target.
  struct WeakTarget {
    weak var object: AnyObject?
  }

  final var madeExtras: Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  final var memberships: [Membership] {
    guard membership.mode >= 0 else { return [] }
    return [membership] + (extras?.further ?? [])
  }

  @inline(__always)
  final var hasWeakTarget: Bool { flags.load(ordering: .acquiring) & Flags.hasWeakTarget != 0 }

  @inline(__always)
  final var isEnded: Bool { flags.load(ordering: .acquiring) & Flags.ended != 0 }

  /// Whether the item may be called now, its modes apart.
  @inline(__always)
  final var isCallable: Bool {
    flags.load(ordering: .acquiring) & (Flags.ended | Flags.paused) == 0
      && !local.contains(.isOnStack)
  }

  /// Whether the item is in a mode of the run.
  @inline(__always)
  final func isMember(of run: Loop.Run) -> Bool {
    if run.acts(in: membership.mode) { return true }
    guard let extras, !extras.further.isEmpty else { return false }
    return extras.further.contains { run.acts(in: $0.mode) }
  }

  /// Calls a closure with the record of each mode that the item is in, nearly always one.
  @inline(__always)
  final func forEachRecord(_ body: (ModeRecord) -> Void) {
    guard let loop, membership.mode >= 0 else { return }
    if let record = loop.records[Int(membership.mode)] { body(record) }
    guard let extras, !extras.further.isEmpty else { return }
    for place in extras.further { if let record = loop.records[Int(place.mode)] { body(record) } }
  }

  /// What the item keeps for one mode, -1 for nothing.
  final func slot(in record: ModeRecord) -> Int32 {
    if membership.mode == Int32(record.index) { return membership.slot }
    return extras?.further.first { $0.mode == Int32(record.index) }?.slot ?? -1
  }

  /// Changes what the item keeps for one mode.
  final func setSlot(_ slot: Int32, mode: Int) {
    if membership.mode == Int32(mode) {
      membership.slot = slot
    } else if let index = extras?.further.firstIndex(where: { $0.mode == Int32(mode) }) {
      extras!.further[index].slot = slot
    }
  }

  /// Marks the item ended and cleans up; the item's own thread.
  final func endNow() {
    flags.bitwiseOr(Flags.ended, ordering: .acquiringAndReleasing)
    end()
  }

  /// Leaves the loop and lets go of the handlers; the flag is set already.
  final func end() {
    loop?.detach(self)
    letGo()
  }

  /// Ends an item that no loop has taken and no other thread has seen.
  final func refuse() {
    flags.bitwiseOr(Flags.ended, ordering: .acquiringAndReleasing)
    letGo()
  }

  /// Lets go of the handlers, once.
  final func letGo() {
    if local.contains(.isReleased) { return }
    local.insert(.isReleased)
    releaseHandlers()
  }

  /// Acts on what another thread has set; the loop's thread.
  final func update() {
    if isEnded {
      end()
    } else if loop != nil {
      pauseChanged()
    }
  }

  /// Hands the change to the loop that holds the item, if one does.
  final func postUpdate() {
    // See `Loop.add(_:forMode:)`: whoever adds the item meanwhile looks at its flags after this.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let number = mailboxNumber.load(ordering: .acquiring)
    if number != 0 { Mailbox.find(number)?.postUpdate(of: self) }
  }

  private final func setKeepsLoopAlive(_ keeps: Bool) {
    if local.contains(.keepsLoopAlive) == keeps { return }
    if !keeps { forEachRecord { $0.countAlive(self, -1) } }
    if keeps { local.insert(.keepsLoopAlive) } else { local.remove(.keepsLoopAlive) }
    if keeps { forEachRecord { $0.countAlive(self, 1) } }
  }
}
