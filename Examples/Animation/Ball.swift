import WakeLoop

/// A ball that bounces in a box of 1 by 1, simulated in steps of 1/240 s.
struct Ball {
  struct Place {
    var x = 0.1
    var y = 0.1
  }

  private var steps = FixedStep(hz: 240, maximumSteps: 24)
  private var place = Place()
  private var before = Place()
  private var speed = (x: 0.45, y: 0.0)

  private static let step = 1.0 / 240
  private static let gravity = 1.6

  /// Where the ball is to be drawn at an instant.
  mutating func advance(to instant: Loop.Instant) -> Place {
    let due = steps.advance(to: instant)
    for _ in 0..<due.count { move() }
    return Place(
      x: before.x + (place.x - before.x) * due.fraction, y: before.y + (place.y - before.y) * due.fraction)
  }

  private mutating func move() {
    before = place
    speed.y += Self.gravity * Self.step
    place.x += speed.x * Self.step
    place.y += speed.y * Self.step
    if place.x < 0 || place.x > 1 {
      speed.x = -speed.x
      place.x = min(max(place.x, 0), 1)
    }
    if place.y > 1 {
      // Without loss, so that it goes on for ever.
      speed.y = -abs(speed.y)
      place.y = 1
    }
  }
}
