extension ServerClock {
  /// What was told in the passes that are on the stack: one each of a run and those nested in it.
  struct PassTimes {
    private var entries: [(iteration: UInt64, reading: Reading)] = []

    /// What was told in a pass; passes after it have ended.
    mutating func reading(of iteration: UInt64) -> Reading? {
      while let last = entries.last, last.iteration > iteration { entries.removeLast() }
      return entries.last.flatMap { $0.iteration == iteration ? $0.reading : nil }
    }

    /// Keeps what is told in a pass of the run at a depth of nesting; the outermost is 1.
    mutating func keep(_ reading: Reading, of iteration: UInt64, depth: Int) {
      if entries.count >= depth { entries.removeSubrange((depth - 1)...) }
      entries.append((iteration, reading))
    }
  }
}
