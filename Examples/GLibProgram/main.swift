// The loop in a program that belongs to GLib and ends in g_main_loop_run: timers, posts from other threads and
// main-actor tasks live there beside GLib's own handlers.

import CGLib
import Foundation
import GLibGuest
import WakeLoop

let loop = Loop.main
let glib = glib_main_loop_new(nil)
let guest = try GLibGuest(loop)
// Who stops the loop means the program.
guest.onStop = { glib_quit(glib) }

// GLib's own: a timeout every 30 ms.
var timeouts = 0
_ = glib_call_every(
  nil, 30,
  { _ in
    MainActor.assumeIsolated { timeouts += 1 }
    return 1
  }, nil)

// The loop's.
var beats = 0
var passes = 0
let observer = Loop.Observer(activities: .afterWaiting) { _, _ in passes += 1 }
loop.add(observer, forMode: .common)
loop.schedule(every: .milliseconds(20)) { pass in
  precondition(pass.instant >= pass.due)
  beats += 1
}
let remote = loop.remote
Thread.detachNewThread {
  remote.perform { print("the loop: a post from another thread") }
}
Task { @MainActor in
  try await Task.sleep(for: .milliseconds(100))
  print("the loop: a task that has slept")
  // GLib in a handler of the loop's, as under a modal dialog; the loop goes on in it.
  let dialog = glib_main_loop_new(nil)
  let before = beats
  loop.after(.milliseconds(100)) { _ in glib_quit(dialog) }
  glib_run(dialog)
  glib_main_loop_unref(dialog)
  print("the loop: beats in the dialog: \(beats > before)")
  loop.stop()
}

glib_run(glib)
glib_main_loop_unref(glib)
print("GLib: timeouts came: \(timeouts > 3)")
print("the loop: beats came: \(beats > 3), no pass in vain: \(passes <= beats + 30)")
