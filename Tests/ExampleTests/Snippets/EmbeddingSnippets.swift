// The code of the article on embedding, compiled. Each part between "snippet" and "end" is there to the letter.

import Foundation
import WakeLoop

private final class EngineLoop {
  func wakeUp(afterMilliseconds milliseconds: Int32) {}
}

@MainActor
enum EmbeddingSnippets {
  static func polled() throws {
    // snippet
    let guest = try Loop.main.makeGuest()
    var entry = pollfd(fd: guest.descriptor, events: Int16(POLLIN), revents: 0)
    while !guest.isEnded {
      if poll(&entry, 1, -1) > 0 { guest.pass() }
    }
    // end
  }

  static func byDeadline(guest: Loop.Guest) {
    let host = EngineLoop()
    // snippet
    let milliseconds = guest.pollTimeout
    if milliseconds >= 0 { host.wakeUp(afterMilliseconds: milliseconds) }
    guest.onEarlierDeadline = { _ in host.wakeUp(afterMilliseconds: guest.pollTimeout) }
    // end
  }

  static func nested(guest: Loop.Guest) {
    // snippet
    guest.prepare()
    // end
  }
}
