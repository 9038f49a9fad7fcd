import LoopCore
import LoopPlatform

// Sendable is unchecked because what other threads touch is guarded by `lock`, and the rest checks its thread.
/// Says when the display refreshes.
///
/// Links on one clock share its wake-ups and are called in the same pass. When no link on it is running, the clock
/// is silent. A clock serves links of one loop at a time. `tick(at:refresh:)` may be called from any thread,
/// everything else only on the thread that made the clock.
public final class FrameClock: @unchecked Sendable {
  /// The refreshes as they are computed from a rate, or as they are told.
  enum Timeline {
    case grid(FrameGrid)
    case told(RefreshEstimate)
  }

  /// What a told refresh is, on its way from another thread.
  struct Tick {
    var instant: Int64
    var refreshInterval: Int64
    /// When it was told.
    var arrival: Int64
    var isConsecutive: Bool
  }

  let threadID: Int32
  /// The rate of a grid, nil where refreshes are told.
  let rate: FrameRate?
  /// What a told clock starts from, in nanoseconds.
  private let firstInterval: Int64
  /// Asks whoever tells refreshes for the next one.
  let request: (() -> Void)?

  /// Nil until the first link comes.
  var timeline: Timeline?
  /// Running and resting links alike; each is in the loop as long as it stands here.
  var links: [FrameLink] = []
  /// The mailbox of the loop of those links, or of the last that there were.
  private var mailbox: Mailbox?
  var relay: TickRelay?
  /// When the next refresh was asked for, nil if it was not, or has come.
  var requestedAt: Int64?
  var isRequesting = false
  var lastArrival: Int64?

  let lock = Lock()
  /// Ticks that the loop has not looked at yet, and the item by which it is told of them.
  ///
  /// Protected by `lock`.
  var ticks: [Tick] = []
  var sharedRelay: TickRelay?
  var sharedMailbox: Mailbox?

  /// More are not kept: the loop is busy, and only the latest matter.
  static let mostTicks = 16

  private init(rate: FrameRate?, firstInterval: Int64, request: (() -> Void)?) {
    threadID = Loop.threadHere
    self.rate = rate
    self.firstInterval = firstInterval
    self.request = request
  }

  // MARK: Making

  /// Makes a clock that refreshes evenly.
  ///
  /// Its phase is set when the first link is added and is kept for ever, without drift.
  /// - Parameter hz: The rate in hertz, such as 60 or 59.94, taken to a millionth.
  /// - Precondition: The rate lies between 0.001 and 1,000,000 Hz.
  public static func grid(hz: Double) -> FrameClock {
    guard let rate = FrameRate(hertz: hz) else {
      preconditionFailure("hz is \(hz): a rate lies between 0.001 and 1,000,000 Hz")
    }
    return FrameClock(rate: rate, firstInterval: rate.period, request: nil)
  }

  /// Makes a clock that refreshes evenly, so many times in so many seconds: 60,000 in 1,001 for television.
  ///
  /// - Precondition: Both lie between 1 and 2^32.
  public static func grid(refreshes: Int, inSeconds seconds: Int) -> FrameClock {
    precondition(
      (1...Int(FrameGrid.largestPart)).contains(refreshes)
        && (1...Int(FrameGrid.largestPart)).contains(seconds),
      "\(refreshes) refreshes in \(seconds) seconds are no rate; both lie between 1 and 2^32")
    let rate = FrameRate(frames: Int64(refreshes), seconds: Int64(seconds))
    return FrameClock(rate: rate, firstInterval: rate.period, request: nil)
  }

  /// Makes a clock whose refreshes are told by a toolkit, with `tick(at:refresh:)`.
  ///
  /// - Parameters:
  ///   - refresh: The time between two refreshes, as long as nothing better is known.
  ///   - request: Called on the clock's thread when the next refresh is wanted, once until it has been told: ask for
  ///     the first one that is still to come. Nil: every refresh is told unasked.
  public static func external(
    refresh: Duration = .nanoseconds(16_666_667), request: (() -> Void)? = nil
  ) -> FrameClock {
    FrameClock(rate: nil, firstInterval: refresh.clampedNanoseconds, request: request)
  }

  // MARK: State

  /// The time between two refreshes: of a told clock, as measured.
  ///
  /// The clock's thread only.
  public var refreshInterval: Duration {
    checkThread()
    return .nanoseconds(interval)
  }

  /// Whether any link waits for a frame, so that refreshes are wanted.
  ///
  /// The clock's thread only.
  public var isRunning: Bool {
    checkThread()
    return links.contains { $0.wantsFrame }
  }

  private func checkThread() {
    let here = Loop.threadHere
    precondition(
      here == threadID,
      "a frame clock of thread \(threadID) was used on thread \(here); only tick(at:refresh:) may be")
  }

  // MARK: Links

  func attach(_ link: FrameLink, loop: Loop) {
    checkThread()
    if links.isEmpty, mailbox !== loop.mailbox {
      // A new loop, whose clock may be another one: what was known does not hold there.
      mailbox = loop.mailbox
      let now = loop.backend.now(.suspending)
      timeline =
        if let rate {
          .grid(FrameGrid(origin: now, rate: rate))
        } else {
          .told(RefreshEstimate(now: now, interval: firstInterval))
        }
    }
    precondition(
      mailbox === loop.mailbox,
      "the frame clock of \(link) has links in another loop; a clock serves one loop at a time")
    links.append(link)
    if rate == nil, relay == nil {
      let relay = TickRelay(clock: self, loop: loop)
      self.relay = relay
      lock.withLock {
        sharedRelay = relay
        sharedMailbox = loop.mailbox
      }
    }
  }

  func detach(_ link: FrameLink) {
    links.removeAll { $0 === link }
    if links.isEmpty, let relay {
      relay.loop = nil
      self.relay = nil
      requestedAt = nil
      lock.withLock {
        sharedRelay = nil
        sharedMailbox = nil
        ticks.removeAll()
      }
    }
  }

  // MARK: Refreshes

  /// Nanoseconds between two refreshes.
  var interval: Int64 {
    switch timeline {
    case .grid(let grid): grid.rate.period
    case .told(let estimate): estimate.interval
    case nil: rate?.period ?? firstInterval
    }
  }

  /// Refreshes a second.
  var hertz: Double { rate?.hertz ?? 1e9 / Double(interval) }

  func instant(of refresh: Int64) -> Int64 {
    switch timeline {
    case .grid(let grid): grid.instant(of: refresh)
    case .told(let estimate): estimate.instant(of: refresh)
    case nil: .max
    }
  }

  func refresh(atOrAfter instant: Int64) -> Int64 {
    switch timeline {
    case .grid(let grid): grid.refresh(atOrAfter: instant)
    case .told(let estimate): estimate.refresh(atOrAfter: instant)
    case nil: 0
    }
  }

  /// The refresh that holds at the now of a pass which serves links.
  func refresh(servedAt now: Int64) -> Int64 {
    switch timeline {
    case .grid(let grid): return grid.refresh(atOrBefore: now)
    case .told(var estimate):
      estimate.moveOn(to: now)
      timeline = .told(estimate)
      return estimate.refresh
    case nil: return 0
    }
  }

  /// When a link is to be called that wants a certain refresh; never, as long as it has not been told.
  func deadline(of refresh: Int64, now: Int64) -> Int64 {
    guard case .told(let estimate) = timeline else { return instant(of: refresh) }
    if estimate.instant > now && estimate.refresh >= refresh { return estimate.instant }
    requestNext(now: now)
    return .max
  }
}
