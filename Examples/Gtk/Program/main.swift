// A GTK window whose main context lives in the loop: GTK's signals, the loop's timers and frames and main-actor tasks
// share the main thread, and in each pass one now.
//
// At its end it tells how many frames, paints, ticks, presses, tasks and passes there were; in how many passes handlers of
// both GTK's and the loop's have run, how often they read different nows, and how many were not on the main thread.
//
// usage: Gtk [--seconds <n>] [--click] [--ask | --ask-for-long] [--still]
//   --seconds  has itself closed after so long, as a window manager would do it
//   --click    presses the first button after half a second, as the user would do it
//   --ask      presses the second after that, and answers what it asks a second later; with --ask-for-long it does not
//   --still    shows no animation and no clock, so that nothing is due while nobody does anything

import FoundationEssentials
import GLibGuest
import GLibHost
import Glibc
import WakeLoop

let loop = Loop.main
let arguments = CommandLine.arguments
func isAsked(_ option: String) -> Bool { arguments.contains(option) }

guard let window = DemoWindow(title: "WakeLoop", buttons: ("Start a task", "Ask a question")) else {
  print("There is no display: DISPLAY is \(getenv("DISPLAY").map { String(cString: $0) } ?? "not set").")
  exit(1)
}

let host = try GLibHost(in: loop)
let start = loop.wakeInstant
var oneNow = OneNow()
var message = "Press a button."
var (frames, paints, ticks, dialogTicks, presses, tasks, passes) = (0, 0, 0, 0, 0, 0, 0)

@MainActor
func showText() {
  let tenths = Int((loop.wakeInstant - start) / .milliseconds(100))
  window.setText("\(tenths / 10).\(tenths % 10) s   \(message)")
}

// GTK's signals.

window.onPress = { button in
  oneNow.note(.gtk)
  presses += 1
  if button == 0 { startTask() } else { ask() }
}
window.onPaint = {
  oneNow.note(.gtk)
  paints += 1
}
window.onClose = {
  oneNow.note(.gtk)
  loop.stop()
}

@MainActor
func startTask() {
  let number = presses
  message = "Task \(number) sleeps."
  showText()
  Task { @MainActor in
    try await Task.sleep(for: .milliseconds(300))
    oneNow.note(.loop)
    tasks += 1
    message = "Task \(number) is done."
    showText()
  }
}

@MainActor
func ask() {
  // Under a modal dialog GTK runs a main loop of its own, in a handler of ours. Meanwhile our loop is its guest.
  let before = ticks
  do {
    let guest = try GLibGuest(loop)
    loop.perform {
      print("The dialog is open.")
      fflush(nil)
    }
    guest.onStop = { window.answer(false) }
    message = window.ask("Is it still ticking?") ? "It is." : "It is not."
    // Who has stopped the loop under the dialog means the program.
    if guest.isEnded { loop.stop() } else { guest.end() }
  } catch {
    message = "There was no descriptor left to ask with: \(error)"
  }
  dialogTicks += ticks - before
  showText()
}

// The loop's own.

let observer = Loop.Observer(activities: .afterWaiting) { _, _ in
  oneNow.note(.loop)
  passes += 1
}
loop.add(observer, forMode: .common)
showText()
if !isAsked("--still") {
  loop.schedule(every: .milliseconds(100)) { _ in
    oneNow.note(.loop)
    ticks += 1
    showText()
  }
  loop.onEachFrame { frame in
    oneNow.note(.loop)
    frames += 1
    // Where the ball is when the frame is seen: round once in two seconds.
    let angle = Double(frame.target.nanoseconds % 2_000_000_000) / 1e9 * Double.pi
    window.moveBall(x: 0.5 + cos(angle) / 3, y: 0.5 + sin(angle) / 3)
  }
}
if isAsked("--click") { loop.after(.milliseconds(500)) { _ in window.press(0) } }
if isAsked("--ask") || isAsked("--ask-for-long") {
  loop.after(.seconds(1)) { _ in window.press(1) }
}
if isAsked("--ask") { loop.after(.seconds(2)) { _ in window.answer(true) } }
if let index = arguments.firstIndex(of: "--seconds"), let seconds = arguments.dropFirst(index + 1).first {
  loop.after(.seconds(Double(seconds) ?? 5)) { _ in window.askToClose() }
}
var passesInTheBeginning = 0
loop.after(.seconds(1)) { _ in passesInTheBeginning = passes }
loop.stop(on: .interrupt, .terminate)
print("The window is open.")
fflush(nil)

loop.run()

host.invalidate()
window.free()
let findings = [
  ("frames", frames), ("paints", paints), ("ticks", ticks), ("ticks under the dialog", dialogTicks),
  ("presses", presses), ("tasks", tasks), ("passes", passes), ("late passes", passes - passesInTheBeginning),
  ("shared passes", oneNow.sharedPasses),
  ("differing nows", oneNow.differences), ("strayed handlers", oneNow.strayed),
]
for (name, number) in findings { print("\(name): \(number)") }
