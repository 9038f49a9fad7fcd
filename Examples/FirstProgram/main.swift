import Foundation
import WakeLoop

let loop = Loop.main
let start = loop.wakeInstant + .milliseconds(100)
var beats = 0
var seen = Date.distantPast

// Two handlers of one beat. The first takes its time; the second is told the same now all the same.
loop.schedule(every: .milliseconds(100), startingAt: start) { _ in
  beats += 1
  seen = .wake
  Thread.sleep(forTimeInterval: 0.02)
}
loop.schedule(every: .milliseconds(100), startingAt: start) { _ in
  print("beat \(beats), the same now: \(seen == .wake)")
  if beats == 3 { loop.stop() }
}

loop.run()
print("stopped")
