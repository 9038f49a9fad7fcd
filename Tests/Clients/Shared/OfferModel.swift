import Dispatch
import Foundation
import WakeLoop

/// A view's model on the main actor, with everything of a loop's that such a model uses.
@MainActor
final class OfferModel {
  private(set) var title = "Offer"
  private(set) var beats = 0
  private(set) var isShown = true
  private var clockTimer: Loop.Timer?
  private var hideTimer: Loop.Timer?
  private var link: FrameLink?
  private var saver: Loop.Observer?
  private var countdown: Countdown?

  func appear(hideDate: Date) {
    clockTimer = Loop.main.schedule(every: .seconds(1)) { [weak self] pass in
      self?.tick(pass)
    }
    hideTimer = Loop.main.schedule(at: hideDate) { [weak self] _ in
      self?.isShown = false
    }
    Loop.main.after(.milliseconds(300), owner: self) { model, _ in
      model.title = "Offer until \(hideDate)"
    }
    let link = FrameLink(target: self) { model, frame in model.draw(frame) }
    link.preferredFrameRateRange = FrameRateRange(minimum: 30, maximum: 60, preferred: 60)
    link.add(to: .main, forMode: .common)
    self.link = link
    let saver = Loop.Observer(activities: .beforeWaiting) { [weak self] _, _ in
      self?.save()
    }
    Loop.main.add(saver, forMode: .common)
    self.saver = saver
    let countdown = Countdown(
      until: hideDate, owner: self, onTick: { model, reading in model.show(reading) },
      onFinish: { model in model.isShown = false })
    countdown.start()
    self.countdown = countdown
    Loop.main.ticks.add("blink", every: 30, owner: self) { model, _ in model.beats += 1 }
  }

  func disappear() {
    for item in [clockTimer, hideTimer, link, saver] as [Loop.Item?] { item?.invalidate() }
    countdown?.cancel()
    Loop.main.ticks.cancel("blink")
  }

  func pause() {
    clockTimer?.isPaused = true
    link?.isPaused = true
    countdown?.pause()
  }

  /// Asks from wherever a result is ready.
  nonisolated func receive(_ title: String) {
    Loop.mainRemote.perform { self.title = title }
    DispatchQueue.main.async { self.beats = 0 }
    Task { @MainActor in self.beats += 1 }
  }

  private func tick(_ pass: Loop.Pass) { beats += pass.missed + 1 }
  private func draw(_ frame: Frame) { title = "frame \(frame.number) at \(frame.target)" }
  private func show(_ reading: CountdownReading) { title = "\(reading.remaining) left, \(Date.wake)" }
  private func save() {}

  deinit {
    clockTimer?.invalidate()
    hideTimer?.invalidate()
    link?.invalidate()
    saver?.invalidate()
  }
}
