// A resend button that counts down a minute.
//
//   Countdown          in a terminal: Enter presses the button, Ctrl-D ends
//   Countdown --fast   the same in virtual time, with presses played

import Glibc
import WakeLoop
import WakeLoopTesting

if CommandLine.arguments.contains("--fast") {
  playFast()
} else {
  try runInTerminal()
}

/// Plays a user who presses too early, waits for the minute and presses again; then the phone sleeps for a while.
@MainActor
func playFast() {
  let virtual = VirtualLoop()
  let start = virtual.now
  let button = ResendButton(on: virtual.loop) { title in
    let seconds = (virtual.now - start).components.seconds
    print("\(seconds) s: \(title)")
  }
  button.press()
  virtual.script(at: start + .milliseconds(20_500)) { button.press() }
  virtual.advance(by: .seconds(61))
  button.press()
  virtual.advance(by: .milliseconds(4_500))
  virtual.sleepMachine(for: .seconds(53))
  virtual.advance(by: .seconds(3))
}

/// Counts in a terminal, in one line that is written anew.
@MainActor
func runInTerminal() throws {
  let button = ResendButton(on: .main) { title in
    print("\r\u{1B}[K\(title)", terminator: "")
    // There is no end of line that would send it.
    fflush(nil)
  }
  button.press()
  try Loop.main.watch(STDIN_FILENO, for: .read) { source, _ in
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count <= 0 {
      print()
      source.invalidate()
      Loop.main.stop()
    } else {
      button.press()
    }
  }
  Loop.main.run()
}
