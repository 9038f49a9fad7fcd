import Glibc

/// The terminal as a canvas: one key at a time comes in, whole pictures go out.
final class Terminal {
  private let input: Int32 = STDIN_FILENO
  private let output: Int32 = STDOUT_FILENO
  private var before = termios()
  private var picture: [UInt8] = []

  /// Takes over the terminal; nil if there is none.
  init?() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0
    else { return nil }
    var raw = before
    // Keys come at once and unechoed; Ctrl-C still interrupts.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(input, TCSANOW, &raw)
    picture.reserveCapacity(16_384)
    // The other screen, no cursor.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    show()
  }

  /// Gives the terminal back as it was.
  func restore() {
    picture.removeAll()
    write("\u{1B}[?25h\u{1B}[?1049l")
    show()
    tcsetattr(input, TCSANOW, &before)
  }

  /// Columns and rows; 80 by 24 where the terminal can't say.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The keys that have been pressed; empty when the terminal is gone.
  func keys() -> [Character] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(input, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map { Character(Unicode.Scalar($0)) }
  }

  /// Adds text to the picture.
  func write(_ text: String) { picture.append(contentsOf: text.utf8) }

  /// Adds text to the picture at a place, counted from 1.
  func write(_ text: String, column: Int, row: Int) { write("\u{1B}[\(row);\(column)H\(text)") }

  /// Shows what was added, in one piece.
  func show() {
    var sent = 0
    picture.withUnsafeBytes { bytes in
      while sent < bytes.count {
        let count = Glibc.write(output, bytes.baseAddress! + sent, bytes.count - sent)
        if count < 0 && errno != EINTR { break }
        sent += max(0, count)
      }
    }
    picture.removeAll(keepingCapacity: true)
  }
}
