import Glibc

/// What a system call answered.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One of `ErrorNumber`, or any other `errno` value.
  package let errno: Int32
  /// The call that was refused, such as "pidfd_open".
  package let call: String

  package init(errno: Int32, call: String) {
    self.errno = errno
    self.call = call
  }

  package var description: String { "\(call): \(describe(errno: errno))" }
}

/// Says in words what an `errno` value means, with its number.
package func describe(errno: Int32) -> String {
  // Room for the longest sentence of the C library; it cuts what is longer.
  let words = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    // The buffer is the closure's own, and strerror_r writes no more than its count.
    guard let start = buffer.baseAddress, strerror_r(errno, start, buffer.count) == 0 else {
      return "Unknown error"
    }
    return String(cString: start)
  }
  return "\(words) (errno \(errno))"
}

/// The `errno` values that the loop tells apart.
package enum ErrorNumber {
  package static let none: Int32 = 0
  package static let notPermitted = EPERM
  package static let noEntry = ENOENT
  package static let badDescriptor = EBADF
  package static let noChild = ECHILD
  package static let noProcess = ESRCH
  package static let invalid = EINVAL
  package static let exists = EEXIST
  package static let tooManyDescriptors = EMFILE
  package static let tooManyDescriptorsInSystem = ENFILE
  package static let noMemory = ENOMEM
  package static let noSpace = ENOSPC
  package static let notImplemented = ENOSYS
}

/// The bits that `LoopBackend.probe` answers, as poll(2).
package enum ProbeResult {
  package static let read = Int16(POLLIN)
  package static let write = Int16(POLLOUT)
  package static let error = Int16(POLLERR)
  package static let hangUp = Int16(POLLHUP)
  package static let notOpen = Int16(POLLNVAL)
  /// POLLRDHUP, which the C library hides from Swift.
  package static let peerClosed: Int16 = 0x2000
}
