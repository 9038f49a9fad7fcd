import Foundation
import Glibc

/// Both ends of a pseudo-terminal: a program has the one, the test the other.
final class PseudoTerminal {
  /// What the program is given.
  let slave: Int32
  private let master: Int32
  private(set) var text = ""
  private var unread = ""

  init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: Int32 = -1
    var locked: Int32 = 0
    // What grantpt and its like do, which Swift does not see: TIOCSPTLCK unlocks, TIOCGPTN tells the number.
    guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0
    else { throw POSIXError(.ENODEV) }
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw POSIXError(.ENODEV) }
    var size = winsize(ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
  }

  deinit {
    close(slave)
    close(master)
  }

  /// Whether lines are edited and echoed, as before any program took the terminal over.
  var isCooked: Bool {
    var settings = termios()
    return tcgetattr(slave, &settings) == 0
      && settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
  }

  /// Presses keys.
  func type(_ keys: String) {
    _ = keys.withCString { write(master, $0, strlen($0)) }
  }

  /// Reads until something has been written that was not read before; false if it does not come within a minute.
  func readUntil(_ part: String) -> Bool {
    let limit = Date(timeIntervalSinceNow: 60)
    while Date() < limit {
      if let range = unread.range(of: part) {
        unread = String(unread[range.upperBound...])
        return true
      }
      var poller = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, 1_000) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(master, &bytes, bytes.count)
      if count <= 0 { return false }
      let piece = String(decoding: bytes.prefix(count), as: UTF8.self)
      text += piece
      unread += piece
    }
    return false
  }
}
