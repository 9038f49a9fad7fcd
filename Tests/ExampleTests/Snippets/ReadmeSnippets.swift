// The code of README.md, compiled. Each part between "snippet" and "end" is there to the letter.

import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

enum ReadmeSnippets {
  // snippet
  struct Offer {
    var hideDate: Date

    // Every view that asks in this pass gets the same answer.
    var isShown: Bool { .wake < hideDate }
  }
  // end

  static func everyday(loop: Loop, descriptor: Int32) throws {
    // snippet
    loop.schedule(every: .seconds(1)) { pass in
      print("it is \(pass.date); missed \(pass.missed) beats, \(pass.late) late")
    }

    let reminder = loop.after(.seconds(90), tolerance: .seconds(10)) { _ in print("tea is ready") }
    reminder.invalidate()

    try loop.watch(descriptor) { source, event in
      if event.contains(.endOfFile) { source.invalidate() }
    }

    let remote = loop.remote
    Thread {
      remote.perform { print("on the loop's thread") }
    }.start()
    // end
  }

  static func virtualTime() {
    // snippet
    let virtual = VirtualLoop()
    var beats = 0
    virtual.loop.schedule(every: .seconds(1)) { _ in beats += 1 }
    virtual.advance(by: .seconds(3600))
    #expect(beats == 3600)
    // end
  }

  enum Porting {
    // snippet
    typealias RunLoop = Loop
    typealias Timer = Loop.Timer
    // end
  }
}

@Suite("The README's code does what it says")
struct ReadmeSnippetTests {
  @Test("an hour of virtual time has 3,600 beats of a second")
  func virtualTime() { ReadmeSnippets.virtualTime() }

  @Test("an offer is shown until its date of hiding")
  func offer() {
    #expect(ReadmeSnippets.Offer(hideDate: .distantFuture).isShown)
    #expect(!ReadmeSnippets.Offer(hideDate: .distantPast).isShown)
  }
}
