import Glibc
import WakeLoop

/// A loop that has nothing to do for three seconds, for a tracer to watch.
///
/// The argument says what it has to be idle about. Everything between the two marks on standard output is idleness.

let loop = Loop.current
let seconds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 3 : 3

func mark(_ text: String) {
  _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
}

@MainActor func idle(in mode: Loop.Mode) {
  mark("IDLE BEGINS\n")
  let result = loop.run(mode: mode, for: .seconds(seconds))
  mark("IDLE ENDS \(result)\n")
}

switch CommandLine.arguments.dropFirst().first {
case "timer-ahead":
  loop.after(.seconds(3600)) { _ in mark("NEVER\n") }
  _ = loop.run(mode: .default, for: .zero)
  idle(in: .default)

case "hang-up":
  // Nobody reads, nobody removes it.
  var ends: [Int32] = [0, 0]
  precondition(pipe(&ends) == 0, "no pipe: errno \(errno)")
  try loop.watch(ends[0]) { _, _ in }
  let hold = loop.holdOpen()
  close(ends[1])
  _ = loop.run(mode: .default, for: .milliseconds(100))
  idle(in: .default)
  hold.invalidate()

case "last-due-cancelled":
  // The kernel's timer expires with the first, and the one cancelled by it was the last.
  let hold = loop.holdOpen()
  let due = Loop.Instant.now + .milliseconds(20)
  var last: Loop.Timer?
  loop.schedule(at: due) { _ in last?.invalidate() }
  last = loop.schedule(at: due) { _ in mark("NEVER\n") }
  _ = loop.run(mode: .tracking, for: .zero)
  _ = loop.run(mode: .default, for: .milliseconds(100))
  idle(in: CommandLine.arguments.count > 3 ? Loop.Mode(CommandLine.arguments[3]) : .tracking)
  hold.invalidate()

default:
  mark("usage: IdleLoop timer-ahead|hang-up|last-due-cancelled [seconds [mode]]\n")
  exit(64)
}
