import WakeLoop

/// The button under the field for a code that came by SMS: it may be pressed again after a minute.
@MainActor
final class ResendButton {
  private let show: (String) -> Void
  private var countdown: Countdown?
  private var codes = 0

  /// Makes a button that counts on a loop and shows its title by a closure.
  init(on loop: Loop, show: @escaping (String) -> Void) {
    self.show = show
    countdown = Countdown(.seconds(60), owner: self, on: loop) { button, reading in
      if !reading.isOver { button.show("resend in \(reading.text(.seconds))") }
    } onFinish: { button in
      button.show("resend")
    }
  }

  /// Sends a code, unless the last one is too fresh.
  func press() {
    guard let countdown, countdown.state != .running else {
      show("too soon: \(countdown?.reading.text(.clock) ?? "")")
      return
    }
    codes += 1
    show("code \(codes) was sent")
    // Shows its first value before it returns, so the button never blinks with an old title.
    countdown.start()
  }
}
