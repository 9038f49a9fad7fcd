import Glibc

extension ThreadState {
  /// The kernel's number of the main thread, which is the process's.
  package static var mainThreadID: Int32 { getpid() }
}
