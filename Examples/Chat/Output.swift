import Glibc

/// Prints a line at once, also where the output is a pipe or a file.
func tell(_ line: String) {
  print(line)
  fflush(nil)
}
