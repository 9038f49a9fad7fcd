import CLoopShims

/// Tells a forked child from its parent without a system call.
package enum ForkGeneration {
  /// How many forks lie between this process and the first one.
  ///
  /// Whoever keeps the number sees by a different one that it was inherited.
  package static var current: UInt32 { wl_fork_generation() }
}
