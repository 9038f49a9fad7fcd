import CLoopShims
import Glibc

/// Asks the kernel about children of this process, without SIGCHLD.
package enum ChildProcess {
  /// How a child stands.
  package enum State: Equatable, Sendable {
    case running
    /// It called exit with this status.
    case exited(status: Int32)
    /// A signal ended it.
    case killed(signal: Int32, dumpedCore: Bool)
  }

  /// Opens a descriptor that is readable once `pid` has ended.
  ///
  /// ESRCH: there is no such process.
  package static func open(_ pid: Int32) -> Result<Int32, SystemError> {
    let descriptor = wl_process_open(pid)
    guard descriptor >= 0 else { return .failure(SystemError(errno: -descriptor, call: "pidfd_open")) }
    return .success(descriptor)
  }

  /// Asks how the child ended and leaves it to be waited for.
  ///
  /// ECHILD: it is no child of ours, or someone else has waited for it.
  package static func peek(_ descriptor: Int32) -> Result<State, SystemError> {
    state(wl_process_peek(descriptor))
  }

  /// Asks how the child ended and, if it has, reaps it.
  ///
  /// It does not wait. ECHILD as in `peek`. By its descriptor, since its number may be another child's by now.
  package static func reap(_ descriptor: Int32) -> Result<State, SystemError> {
    state(wl_process_reap(descriptor))
  }

  /// Closes what `open` gave.
  package static func close(_ descriptor: Int32) { wl_descriptor_close(descriptor) }

  private static func state(_ answer: wl_process_state) -> Result<State, SystemError> {
    guard answer.error == 0 else { return .failure(SystemError(errno: answer.error, call: "waitid")) }
    switch answer.code {
    case 0: return .success(.running)
    case Int32(CLD_EXITED): return .success(.exited(status: answer.status))
    default:
      return .success(.killed(signal: answer.status, dumpedCore: answer.code == Int32(CLD_DUMPED)))
    }
  }
}
