// The loop as a guest. The program has a main loop of its own, which polls: here for what a child writes into a
// pipe. One more descriptor in its poll set, and timers, posts, signals and main-actor tasks live there as well.

import Foundation
import WakeLoop

let loop = Loop.main
let guest = try loop.makeGuest()

// What the guest brings along: a beat, a task on the main actor, and work from another thread.
var beats = 0
loop.schedule(every: .milliseconds(20)) { pass in
  precondition(pass.instant >= pass.due)
  beats += 1
}
let remote = loop.remote
Thread.detachNewThread {
  remote.perform { print("the guest: a post from another thread") }
}
Task { @MainActor in
  try await Task.sleep(for: .milliseconds(50))
  print("the guest: a task that has slept")
}

// What the host had before.
let child = Process()
let output = Pipe()
child.executableURL = URL(fileURLWithPath: "/bin/sh")
child.arguments = ["-c", "for word in one two three; do sleep 0.1; echo $word; done"]
child.standardOutput = output
try child.run()

var entries = [
  pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0),
  pollfd(fd: guest.descriptor, events: Int16(POLLIN), revents: 0),
]
var waits = 0
while true {
  // No deadline: the guest's descriptor becomes readable for its timers as well.
  guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
  waits += 1
  if entries[1].revents != 0 { guest.pass() }
  if entries[0].revents != 0 {
    let words = output.fileHandleForReading.availableData
    if words.isEmpty { break }
    print("the host: \(String(decoding: words, as: UTF8.self).trimmingCharacters(in: .newlines))")
  }
}
child.waitUntilExit()

// A wait for each thing that came: nothing has been polled for in vain.
print("the guest: beats came: \(beats > 3), no wait in vain: \(waits <= beats + 20)")
guest.end()
