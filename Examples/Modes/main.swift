// A mode says which timers may act. While the user drags something, an application runs its loop in the
// tracking mode: the clock on the wall goes on, the check for mail waits until the drag is over.

import WakeLoop

let loop = Loop.main
var clockBeats: [Loop.Mode: Int] = [:]
var mailChecks: [Loop.Mode: Int] = [:]

@MainActor
func count(_ counts: inout [Loop.Mode: Int]) {
  counts[loop.currentMode ?? .common, default: 0] += 1
}

// In the common modes: acts in the default mode and in the tracking mode.
let clock = loop.schedule(every: .milliseconds(10), in: .common) { _ in count(&clockBeats) }
// In the default mode only.
let mail = loop.schedule(every: .milliseconds(10), in: .default) { _ in count(&mailChecks) }

@MainActor
func report(_ title: String) {
  func sentence(_ counts: [Loop.Mode: Int], _ mode: Loop.Mode) -> String {
    counts[mode, default: 0] > 0 ? "goes on" : "waits"
  }
  let mode = loop.currentMode ?? .default
  print("\(title): the clock \(sentence(clockBeats, mode)), the mail \(sentence(mailChecks, mode))")
  clockBeats = [:]
  mailChecks = [:]
}

// Half a dozen beats later a drag begins, in a run of its own inside this handler.
loop.after(.milliseconds(65), in: .default) { pass in
  report("before the drag")
  let missedBefore = mail.missedFires

  loop.after(.milliseconds(100), in: .tracking) { _ in
    report("during the drag")
    loop.stop()
  }
  loop.run(mode: .tracking, for: .seconds(60))

  loop.after(.milliseconds(65), in: .default) { _ in
    report("after the drag ")
    print("the mail was told that it had missed some beats: \(mail.missedFires > missedBefore)")
    loop.stop()
  }
}

loop.run()
