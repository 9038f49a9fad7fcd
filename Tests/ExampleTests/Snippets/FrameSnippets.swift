// The code of the article on frames, compiled. Each part between "snippet" and "end" is there to the letter.

import WakeLoop

enum FrameSnippets {
  final class Scene {
    func draw(at instant: Loop.Instant) {}
  }

  actor Renderer {
    func render(at instant: Loop.Instant) {}
  }

  final class Toolkit {
    var onFrame: (Loop.Instant) -> Void = { _ in }
    func askForNextFrame() {}
  }

  final class Model {
    var onChange: () -> Void = {}
  }

  struct World {
    mutating func step() {}
    func draw(between fraction: Double) {}
  }

  static func first(loop: Loop, scene: Scene) {
    // snippet
    let link = loop.onEachFrame { frame in
      scene.draw(at: frame.target)
    }
    // end
    link.invalidate()
  }

  static func told(loop: Loop, toolkit: Toolkit) {
    // snippet
    let clock = FrameClock.external { toolkit.askForNextFrame() }
    toolkit.onFrame = { instant in clock.tick(at: instant) }
    loop.frameClock = clock
    // end
  }

  static func onDemand(link: FrameLink, model: Model) {
    // snippet
    link.isOnDemand = true
    model.onChange = { link.requestFrame() }
    // end
  }

  static func steps(loop: Loop, world: World) {
    var world = world
    // snippet
    var steps = FixedStep(hz: 120)
    loop.onEachFrame { frame in
      let due = steps.advance(to: frame.timestamp)
      for _ in 0..<due.count { world.step() }
      world.draw(between: due.fraction)
    }
    // end
  }

  @MainActor
  static func sequence(scene: Renderer) async {
    let loop = Loop.main
    // snippet
    for await frame in loop.frames() {
      await scene.render(at: frame.target)
    }
    // end
  }

  static func report(loop: Loop) throws {
    // snippet
    var report = FrameReport(title: "The ball")
    loop.onEachFrame { report.record($0) }
    loop.run(mode: .default, for: .seconds(10))
    try report.write(to: "ball")
    // end
  }
}
