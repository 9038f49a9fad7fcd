import Foundation
import WakeLoop

// The first lines of a program, at the top level.
let loop = Loop.main
var beats = 0
let beat = loop.schedule(every: .milliseconds(10)) { pass in
  beats += 1
  if beats == 3 { loop.stop() }
}
loop.after(.seconds(1)) { _ in print("never") }
let remote = loop.remote
Thread { remote.perform { print("from another thread") } }.start()
Task { @MainActor in
  beats += 0
}
loop.run()
beat.invalidate()
print("stopped after \(beats)")
