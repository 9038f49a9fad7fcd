import Glibc
import WakeLoop

/// A loop whose process is stopped for a second by a helper that it starts, and tells what it noticed.

let loop = Loop.current
var words: [UnsafeMutablePointer<CChar>?] = [
  strdup("sh"), strdup("-c"),
  strdup("sleep 0.3; kill -STOP \(getpid()); sleep 1; kill -CONT \(getpid())"), nil,
]

/// The pass in which the absence was told.
var noticedIn: UInt64?

loop.observeAbsences(shortestStop: .milliseconds(700)) { absence in
  noticedIn = loop.iteration
  print("back after a second or so: \(absence.stopped >= .milliseconds(700))")
  print("asleep: \(absence.slept != .zero), clock set: \(absence.clockStep != .zero)")
}
loop.schedule(every: .milliseconds(20)) { pass in
  guard pass.iteration == noticedIn else { return }
  print("then the timer, in the same pass and late: \(pass.missed > 30)")
  loop.stop()
}
loop.perform {
  var child: pid_t = 0
  precondition(posix_spawn(&child, "/bin/sh", nil, nil, &words, environ) == 0, "no helper")
}
loop.run()
