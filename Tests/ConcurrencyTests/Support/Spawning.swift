import Glibc

/// Starts a shell with a script and returns its number.
func spawn(_ script: String) -> pid_t {
  var child = pid_t()
  // Test threads block all signals, which a child would inherit.
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  let words = ["/bin/sh", "-c", script]
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  precondition(posix_spawn(&child, "/bin/sh", nil, &attributes, &arguments, environ) == 0)
  for argument in arguments { free(argument) }
  return child
}

/// Whether a child has been waited for already.
func isReaped(_ child: pid_t) -> Bool { waitpid(child, nil, WNOHANG) == -1 && errno == ECHILD }
