import LoopCore
import LoopPlatform

/// The frames of a display, one after the other, for a task.
///
/// A task that asks for a frame is given the next one that comes. Those that come while it is busy are dropped, since
/// nobody wants to draw for the past: the next one's `missed` counts them. The link behind it lives as long as an
/// iteration; cancelling the task ends both. Each iteration has a link of its own.
///
/// ```swift
/// for await frame in loop.frames() {
///   await scene.draw(at: frame.target)
/// }
/// ```
public struct Frames: AsyncSequence, Sendable {
  /// What the sequence is made of.
  public typealias Element = Frame
  /// It never throws.
  public typealias Failure = Never

  let mailbox: Mailbox
  let clock: FrameClock?
  let mode: Loop.Mode
  let rates: FrameRateRange
  let origin: (fileID: StaticString, line: UInt)

  /// Begins an iteration: the link is added to the loop.
  ///
  /// Any thread.
  public func makeAsyncIterator() -> Iterator {
    let stream = FrameStream()
    let link = FrameLink(
      clock: clock, handler: .stream(stream), threadID: mailbox.thread, fileID: origin.fileID,
      line: origin.line)
    link.rateRange = rates
    link.rateWish = .preference(rates.preference)
    if let loop = mailbox.loopOfThisThread {
      loop.add(link, forMode: mode)
    } else if !mailbox.postAddition(of: link, modes: [mode]) {
      link.refuse()
    }
    return Iterator(iteration: Iteration(link: link, stream: stream))
  }

  /// One iteration over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let iteration: Iteration

    /// Waits for the next frame; nil when the task is cancelled or the loop has ended.
    ///
    /// - Precondition: No other task waits on the same iterator.
    public func next() async -> Frame? { await iteration.next() }

    /// Waits for the next frame; nil when the task is cancelled or the loop has ended.
    ///
    /// - Precondition: No other task waits on the same iterator.
    public func next(isolation actor: isolated (any Actor)?) async -> Frame? { await iteration.next() }
  }

  /// Ends the link when the last copy of the iterator goes.
  fileprivate final class Iteration: Sendable {
    let link: FrameLink
    let stream: FrameStream

    init(link: FrameLink, stream: FrameStream) {
      self.link = link
      self.stream = stream
    }

    deinit { link.invalidate() }

    func next() async -> Frame? {
      let (link, stream) = (link, stream)
      return await withTaskCancellationHandler {
        await withCheckedContinuation { stream.wait($0) }
      } onCancel: {
        stream.finish()
        link.invalidate()
      }
    }
  }
}

/// Hands frames from the loop's thread to the one task that waits, and counts those for which none does.
// Sendable is unchecked because everything mutable is guarded by `lock`.
final class FrameStream: @unchecked Sendable {
  private let lock = Lock()
  /// Protected by `lock`.
  private var waiter: CheckedContinuation<Frame?, Never>?
  /// Frames since the last one that a task was given; protected by `lock`.
  private var dropped = 0
  /// Protected by `lock`.
  private var hasEnded = false

  /// Gives a frame to whoever waits.
  func deliver(_ frame: Frame) {
    lock.lock()
    guard let waiter else {
      dropped += frame.missed + 1
      return lock.unlock()
    }
    self.waiter = nil
    var frame = frame
    frame.missed += dropped
    dropped = 0
    lock.unlock()
    waiter.resume(returning: frame)
  }

  /// Waits for the next frame.
  func wait(_ continuation: CheckedContinuation<Frame?, Never>) {
    let isOver = lock.withLock {
      precondition(waiter == nil, "two tasks wait for frames on one iterator; make an iterator for each")
      if !hasEnded { waiter = continuation }
      return hasEnded
    }
    if isOver { continuation.resume(returning: nil) }
  }

  /// Ends the sequence for whoever waits, now or later.
  func finish() {
    let last = lock.withLock {
      defer { waiter = nil }
      hasEnded = true
      return waiter
    }
    last?.resume(returning: nil)
  }
}

extension Loop {
  /// The frames of a display, for a task; frames for which it is too slow are dropped and counted.
  ///
  /// Loop's thread only; the sequence itself goes anywhere.
  /// - Parameters:
  ///   - clock: What says when the display refreshes; nil is the loop's `frameClock`.
  ///   - rates: At which rates.
  ///   - mode: Where frames come.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public func frames(
    of clock: FrameClock? = nil, rates: FrameRateRange = .default, in mode: Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Frames {
    remote.frames(of: clock, rates: rates, in: mode, fileID: fileID, line: line)
  }
}

extension Loop.Remote {
  /// The frames of a display, for a task; frames for which it is too slow are dropped and counted.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - clock: What says when the display refreshes, made on the loop's thread; nil is the loop's `frameClock`.
  ///   - rates: At which rates.
  ///   - mode: Where frames come.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public func frames(
    of clock: FrameClock? = nil, rates: FrameRateRange = .default, in mode: Loop.Mode = .common,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Frames {
    Frames(mailbox: mailbox, clock: clock, mode: mode, rates: rates, origin: (fileID, line))
  }
}

extension Loop.MainRemote {
  /// The frames of the main loop, for a task; frames for which it is too slow are dropped and counted.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - rates: At which rates.
  ///   - mode: Where frames come.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public func frames(
    rates: FrameRateRange = .default, in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Frames {
    remote.frames(rates: rates, in: mode, fileID: fileID, line: line)
  }
}
