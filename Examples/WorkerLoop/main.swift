// A loop on a thread of its own. Other threads never touch it: they post to its remote, and it posts its
// answers to the main loop's. Each handler therefore runs on one known thread, and nothing needs a lock.

import Foundation
import WakeLoop

// Adds up numbers, on its own thread and nowhere else.
let thread = Thread {
  let loop = Loop.current
  // Without a timer or a source the run would be finished at once: the hold keeps it waiting for posts.
  let hold = loop.holdOpen()
  let remote = loop.remote
  Loop.mainRemote.perform { use(worker: remote) }

  loop.run()

  hold.invalidate()
  Loop.mainRemote.perform {
    print("the worker's loop has stopped")
    Loop.main.stop()
  }
}
thread.name = "worker"
thread.start()

/// Gives the worker three jobs, then asks it to stop.
@MainActor
func use(worker: Loop.Remote) {
  for upTo in [10, 1_000, 100_000] {
    worker.perform {
      precondition(!Thread.isMainThread)
      let sum = (1...upTo).reduce(0, +)
      Loop.mainRemote.perform {
        precondition(Thread.isMainThread)
        print("1 + … + \(upTo) = \(sum)")
      }
    }
  }
  // Posts run in the order of asking, so the last of them may stop the loop.
  worker.perform { Loop.current.stop() }
}

Loop.main.run()
print("the main loop has stopped")
