import Glibc

/// Starts a shell with a script and returns its number; `output` becomes its standard output.
func spawn(_ script: String, output: Int32? = nil) -> pid_t {
  var child = pid_t()
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  // Test threads block all signals, which a child would inherit.
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
  let words = ["/bin/sh", "-c", script]
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  precondition(posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ) == 0)
  for argument in arguments { free(argument) }
  return child
}

/// Waits until a child has ended, and leaves it to be waited for.
func awaitEnd(of child: pid_t) {
  var information = siginfo_t()
  while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
}

/// Whether a child has been waited for already.
func isReaped(_ child: pid_t) -> Bool { waitpid(child, nil, WNOHANG) == -1 && errno == ECHILD }
