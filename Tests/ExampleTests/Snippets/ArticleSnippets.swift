// The code of the articles in WakeLoop.docc, compiled. Each part between "snippet" and "end" is there to the
// letter.

import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

@MainActor
enum ArticleSnippets {
  static func landingPage() {
    // snippet
    Loop.main.schedule(every: .seconds(1)) { pass in
      print("it is \(pass.date) for everybody in pass \(pass.iteration)")
    }
    Loop.main.run()
    // end
  }

  // snippet
  func label(for deadline: Date) -> String {
    // The same for each row of the table, however long drawing them takes.
    deadline.timeIntervalSinceWake > 0 ? "open" : "closed"
  }
  // end

  static func commonModes(loop: Loop) {
    // snippet
    // Goes on whatever mode of the common set the loop is in.
    loop.schedule(every: .seconds(1), in: .common) { pass in
      print("it is \(pass.date)")
    }
    // Rests during a drag.
    loop.schedule(every: .seconds(60), in: .default) { _ in
      print("looking for mail")
    }
    // end
  }

  static func dragging(loop: Loop) {
    // snippet
    let dragging = Loop.Mode.tracking
    let released = loop.after(.milliseconds(200), in: dragging) { pass in
      loop.stop()
    }
    loop.run(mode: dragging, for: .seconds(10))
    released.invalidate()
    // end
  }

  static func timers(loop: Loop, alarmDate: Date) {
    // snippet
    // Once, two seconds from now.
    loop.after(.seconds(2)) { pass in
      print("due at \(pass.due), told \(pass.late) later")
    }

    // Every second; the first beat at once.
    loop.schedule(every: .seconds(1), firesNow: true) { pass in
      print("beat; \(pass.missed) were missed before it")
    }

    // At a date on the wall, wherever its clock is set to.
    loop.schedule(at: alarmDate) { pass in
      print("good morning: \(pass.date)")
    }
    // end
  }

  static func sharedOrigin(loop: Loop) {
    // snippet
    let origin = loop.wakeInstant
    loop.schedule(at: origin + .seconds(5)) { _ in print("first") }
    loop.schedule(at: origin + .seconds(5)) { _ in print("second, in the same pass") }
    // end
  }

  // snippet
  final class Thermometer {
    var reading = 0.0

    func start(on loop: Loop) {
      loop.schedule(every: .seconds(10), owner: self) { thermometer, _ in
        thermometer.reading += 1
      }
    }
  }
  // end

  static func descriptors(
    loop: Loop, descriptor: Int32, receive: @escaping () -> Void, send: @escaping () -> Bool
  ) throws {
    // snippet
    let source = try loop.watch(descriptor, for: [.read, .write]) { source, event in
      if event.contains(.readable) { receive() }
      if event.contains(.writable) {
        let more = send()
        // A socket with nothing to send would be reported writable in every pass.
        source.interest = more ? [.read, .write] : .read
      }
      if event.contains(.endOfFile) { source.invalidate() }
    }
    // end
    source.invalidate()
  }

  static func signals(loop: Loop) {
    // snippet
    let reload = Loop.SignalSource(signal: .hangUp) { _, count in
      print("asked \(count) times to read the configuration again")
    }
    loop.add(reload, forMode: .common)
    loop.stop(on: .interrupt, .terminate)
    // end
  }

  static func children(loop: Loop, processID: Int32) throws {
    // snippet
    let child = Loop.ChildSource(processID: processID) { _, exit in
      switch exit {
      case .exited(let code): print("ended with \(code)")
      case .signaled(let signal): print("killed by \(signal)")
      case .reapedElsewhere: print("somebody else took its exit")
      }
    }
    try loop.add(child, forMode: .common)
    // end
  }

  static func posting(loop: Loop) {
    // snippet
    let remote = loop.remote
    Thread {
      let sum = (1...1_000_000).reduce(0, +)
      remote.perform { print("on the loop's thread: \(sum)") }
    }.start()
    // end
  }

  static func mainRemote() {
    // snippet
    Loop.mainRemote.perform {
      Loop.main.stop()
    }
    // end
  }

  static var worker: Loop.Remote?

  static func loopOfItsOwn() {
    // snippet
    let thread = Thread {
      let loop = Loop.current
      let hold = loop.holdOpen()
      let remote = loop.remote
      Loop.mainRemote.perform { worker = remote }
      loop.run()
      hold.invalidate()
    }
    thread.start()
    // end
  }

  // snippet
  final class Player {
    func tick(_ timer: Loop.Timer) { print("tick \(timer.userInfo ?? "")") }
  }
  // end

  static func target(player: Player) {
    // snippet
    let timer = Loop.Timer.scheduledTimer(
      timeInterval: 1, target: player, action: Player.tick, userInfo: "tock", repeats: true)
    timer.tolerance = 0.1
    // end
  }
}

// snippet
final class Session {
  private(set) var isExpired = false

  init(on loop: Loop) {
    loop.after(.seconds(1800), owner: self) { session, _ in session.isExpired = true }
  }
}
// end

@Suite("The articles' code on virtual time does what it says")
struct VirtualTimeSnippetTests {
  @Test("an hour has 60 reminders of a minute")
  func hour() {
    // snippet
    let virtual = VirtualLoop()
    var reminders = 0
    virtual.loop.schedule(every: .seconds(60)) { _ in reminders += 1 }

    virtual.advance(by: .seconds(3600))
    #expect(reminders == 60)
    // end
  }

  @Test("what came due while a handler worked is late by the rest of its work")
  func blocked() {
    let virtual = VirtualLoop()
    // snippet
    virtual.loop.after(.seconds(1)) { _ in
      virtual.block(for: .seconds(10))
    }
    virtual.loop.after(.seconds(5)) { pass in
      #expect(pass.late == .seconds(6))
    }
    virtual.advance(by: .seconds(60))
    // end
  }

  @Test("a session expires after half an hour, not a second earlier")
  func session() {
    // snippet
    let virtual = VirtualLoop()
    let session = Session(on: virtual.loop)
    virtual.advance(by: .seconds(1799))
    #expect(!session.isExpired)
    virtual.advance(by: .seconds(1))
    #expect(session.isExpired)
    // end
  }
}
