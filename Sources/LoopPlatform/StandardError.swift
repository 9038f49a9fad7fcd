import Glibc

/// The process's standard error.
package enum StandardError {
  /// Writes `text` as it is, past any buffer.
  ///
  /// Any thread. What can't be written is dropped.
  package static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        // The rebased slice stays within the string's bytes, which live until the closure returns.
        let written = Glibc.write(STDERR_FILENO, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written > 0 {
          rest = rest.dropFirst(written)
        } else if errno != EINTR {
          return
        }
      }
    }
  }
}
