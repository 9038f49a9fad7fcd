import Dispatch
import Foundation
import WakeLoop

// Code for Foundation's run loop, with the two lines that it needs.
typealias RunLoop = Loop
typealias Timer = Loop.Timer

/// A class as it was written for Foundation.
@MainActor
final class Slideshow {
  private var timer: Timer?
  private(set) var slide = 0

  func start() {
    timer = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { [weak self] _ in
      self?.slide += 1
    }
    timer?.tolerance = 0.05
    let late = Timer(fire: Date().addingTimeInterval(3), interval: 0, repeats: false) { timer in
      print("late, at \(timer.fireDate)")
    }
    RunLoop.main.add(late, forMode: .common)
    RunLoop.current.perform { print("soon") }
    let other = Timer.scheduledTimer(
      timeInterval: 1, target: self, action: Slideshow.turn, userInfo: "page", repeats: true)
    other.fire()
  }

  func turn(_ timer: Loop.Timer) {
    slide += 1
    if slide > 10 { timer.invalidate() }
  }

  func wait(until date: Date) {
    while slide < 3 && RunLoop.current.run(mode: .default, before: date) {}
    RunLoop.main.run(until: date)
  }

  deinit { timer?.invalidate() }
}

/// A mode of one's own, and Dispatch beside it.
@MainActor
func drag(_ moved: @escaping () -> Void) {
  let mode = Loop.Mode("dragging")
  let source = Loop.UserSource { moved() }
  Loop.main.add(source, forMode: mode)
  DispatchQueue.global().async { source.signal() }
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { Loop.main.stop() }
  Loop.main.run(mode: mode, for: .milliseconds(200))
  source.invalidate()
}
