import Foundation
import WakeLoop
import WakeLoopTesting

/// A test of one's own code without waiting.
@MainActor
func rehearse() -> Bool {
  let virtual = VirtualLoop()
  var beats = 0
  virtual.loop.schedule(every: .seconds(60)) { _ in beats += 1 }
  virtual.setReady(4, at: virtual.now + .seconds(30))
  virtual.advance(by: .seconds(3_600))
  let task = Task(executorPreference: virtual.loop.taskExecutor) {
    [beats = virtual.loop.beats(every: .seconds(1))] in
    for await pass in beats where pass.iteration > 10 { break }
  }
  virtual.advance(by: .seconds(20))
  task.cancel()
  virtual.advance(by: .zero)
  return beats == 60
}
