import WakeLoop

var beats = 0

// Both handlers are due in the same passes, so both are told the same date.
Loop.main.schedule(every: .milliseconds(100)) { pass in
  beats += 1
  print("beat \(beats)")
}
Loop.main.schedule(every: .milliseconds(100)) { pass in
  print("  the same now: \(pass.date == .wake)")
  if beats == 3 { Loop.main.stop() }
}

Loop.main.run()
print("stopped")
