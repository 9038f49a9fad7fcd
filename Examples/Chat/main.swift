// A chat server over TCP on one loop: descriptors, an idle timer for each guest, and a graceful end.
//
//   Chat [<port> [<seconds>]]   opens the chat at a port (0: any); who is silent for so long is let go.
//                               Talk to it with `nc 127.0.0.1 <port>`, end it with Ctrl-C.
//   Chat --tour                 brings two guests of its own, then ends itself as `kill` would

import Glibc
import WakeLoop

let arguments = CommandLine.arguments.dropFirst()
let isTour = arguments.first == "--tour"
let port = isTour ? 0 : arguments.first.flatMap(UInt16.init) ?? 7000
let idleSeconds = arguments.dropFirst().first.flatMap(Double.init) ?? 300

let loop = Loop.main
let server: ChatServer
do {
  server = try ChatServer(
    loop: loop, port: port, idleLimit: isTour ? .milliseconds(200) : .seconds(idleSeconds))
} catch {
  tell("\(error)")
  exit(1)
}
tell(isTour ? "the chat is open" : "the chat is open at port \(server.port)")

// The first of these signals ends the run below; a second Ctrl-C kills, as it would without us.
loop.stop(on: .interrupt, .terminate)

var tourGuests: [TourGuest] = []
if isTour { try startTour() }

loop.run()
server.close()
tell("the chat is closed")

/// Guest 2 greets, guest 1 answers a little later and outlasts guest 2's silence, then somebody kills us.
@MainActor
func startTour() throws {
  let first = try TourGuest(loop: loop, port: server.port) { guest, line in
    switch line {
    case "Welcome, guest 1.":
      let second = try? TourGuest(loop: loop, port: server.port) { guest, line in
        if line == "Welcome, guest 2." { guest.say("hello") }
      }
      tourGuests += [second].compactMap(\.self)
    case "guest 2: hello":
      loop.after(.milliseconds(100)) { _ in guest.say("good morning") }
    case "guest 2 was silent for too long":
      kill(getpid(), SIGTERM)
    default:
      break
    }
  }
  tourGuests.append(first)
}
