import LoopCore

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
    let iteration = Iteration<FrameBox, Never>(box: FrameBox())
    let giver = iteration.giver()
    let link = FrameLink(
      clock: clock, handler: .frame { giver.give($0) }, threadID: mailbox.thread, fileID: origin.fileID,
      line: origin.line)
    link.rateRange = rates
    link.rateWish = .preference(rates.preference)
    iteration.begin(with: [link], on: mailbox, in: mode)
    return Iterator(iteration: iteration)
  }

  /// One iteration over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let iteration: Iteration<FrameBox, Never>

    /// Waits for the next frame; nil when the task is cancelled or the loop has ended.
    ///
    /// - Precondition: No other task waits on the same iterator.
    public nonisolated(nonsending) func next() async -> Frame? {
      await iteration.next(isolation: #isolation)
    }

    /// Waits for the next frame; nil when the task is cancelled or the loop has ended.
    ///
    /// - Precondition: No other task waits on the same iterator.
    public func next(isolation actor: isolated (any Actor)?) async -> Frame? {
      await iteration.next(isolation: actor)
    }
  }
}

/// Keeps no frame for later, since nobody wants to draw for the past, but counts those that nobody waited for.
struct FrameBox: ElementBox {
  private var frame: Frame?
  private var dropped = 0

  mutating func put(_ frame: Frame, isAwaited: Bool) {
    guard isAwaited else {
      dropped += frame.missed + 1
      return
    }
    var frame = frame
    frame.missed += dropped
    dropped = 0
    self.frame = frame
  }

  mutating func take() -> Frame? { frame.take() }
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
