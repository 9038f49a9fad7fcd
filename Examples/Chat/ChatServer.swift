import Glibc
import WakeLoop

/// A chat for any number of guests, on one loop: what one of them says, all others hear.
final class ChatServer {
  private let loop: Loop
  private let idleLimit: Duration
  private let listener: Int32
  private var source: Loop.DescriptorSource?
  private var guests: [ObjectIdentifier: Guest] = [:]
  private var guestsSoFar = 0

  /// Opens the chat at `port`; 0 lets the system choose one.
  init(loop: Loop, port: UInt16, idleLimit: Duration) throws {
    self.loop = loop
    self.idleLimit = idleLimit
    listener = try Sockets.listen(port: port)
    source = try loop.watch(listener) { [weak self] _, _ in self?.admit() }
  }

  /// The port at which the chat is open.
  var port: UInt16 { Sockets.port(of: listener) }

  /// Says goodbye to all guests and closes the chat.
  func close() {
    source?.invalidate()
    Glibc.close(listener)
    for guest in guests.values.sorted(by: { $0.name < $1.name }) {
      guest.send("The chat is closing. Goodbye.")
      guest.end("was sent home")
    }
  }

  private func admit() {
    while let descriptor = Sockets.accept(at: listener) {
      guestsSoFar += 1
      let guest = Guest(
        name: "guest \(guestsSoFar)", descriptor: descriptor, loop: loop, idleLimit: idleLimit)
      let key = ObjectIdentifier(guest)
      guest.onLine = { [weak self, weak guest] line in
        guard let self, let guest else { return }
        tellAll("\(guest.name): \(line)", except: guest)
      }
      guest.onEnd = { [weak self, weak guest] reason in
        guard let self, let guest else { return }
        guests[key] = nil
        tellAll("\(guest.name) \(reason)", except: guest)
      }
      do {
        try guest.start()
      } catch {
        tell("\(guest.name) could not be admitted: \(error)")
        Glibc.close(descriptor)
        continue
      }
      guests[key] = guest
      guest.send("Welcome, \(guest.name).")
      tellAll("\(guest.name) has come", except: guest)
    }
  }

  private func tellAll(_ line: String, except speaker: Guest) {
    tell(line)
    // A copy: a guest who turns out to be lost is taken out meanwhile.
    for guest in Array(guests.values) where guest !== speaker { guest.send(line) }
  }
}
