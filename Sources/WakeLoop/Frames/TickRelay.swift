import LoopPlatform

// Sendable is unchecked because what it adds to an item is touched on the loop's thread only.
/// Brings ticks to the loop's own thread, in whatever mode the loop runs.
final class TickRelay: Loop.Item, @unchecked Sendable {
  private weak var frameClock: FrameClock?
  private var kept: FrameClock.Tick?

  init(clock: FrameClock, loop: Loop) {
    frameClock = clock
    super.init(threadID: clock.threadID, keepsLoopAlive: false, fileID: #fileID, line: #line)
    self.loop = loop
  }

  override var kindName: String { "frame clock" }

  /// Keeps a tick for the next pass.
  func keep(_ tick: FrameClock.Tick) {
    kept = tick
    loop?.mailbox.postUpdate(of: self)
  }

  override func pauseChanged() {
    if let tick = kept {
      kept = nil
      frameClock?.take(tick)
    }
    frameClock?.takeTicks()
  }
}
