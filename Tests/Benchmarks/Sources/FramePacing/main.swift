// Measures how late frames come beside the bare floor, in alternating short runs, and prints a table of medians.

import Glibc

let usage = """
  usage: FramePacing [--rounds N] [--frames N]
    --rounds N  how many runs the medians are of (default 9)
    --frames N  how many frames a run has (default 120)
  """

var rounds = 9
var frames = 120
var arguments = Array(CommandLine.arguments.dropFirst())
while !arguments.isEmpty {
  let name = arguments.removeFirst()
  guard let value = arguments.first.flatMap({ Int($0) }), value > 1, name == "--rounds" || name == "--frames"
  else {
    print(usage)
    exit(2)
  }
  arguments.removeFirst()
  if name == "--rounds" { rounds = value } else { frames = value }
}

let kinds: [(name: String, run: (Int, Int) -> PacingRun)] = [
  ("timerfd + epoll, in C", { PacingRun.floor(hertz: $0, frames: $1) }),
  ("frame link", { PacingRun.link(hertz: $0, frames: $1, pacing: .timer) }),
  (
    "frame link, .precise(spin: 300 µs)",
    { PacingRun.link(hertz: $0, frames: $1, pacing: .precise(spin: .microseconds(300))) }
  ),
]

func quantile(_ share: Double, of values: [Int64]) -> Double {
  let sorted = values.sorted()
  return Double(sorted[Int(share * Double(sorted.count - 1))]) / 1e3
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func rounded(_ value: Double, _ parts: Double) -> String { String((value * parts).rounded() / parts) }

print("Medians of \(rounds) runs of \(frames) frames; times in microseconds.\n")
print("Late is when the handler begins, after the refresh; woken, when the pass has taken its stamp.\n")
print("| rate | | woken p50 | late p50 | late p99 | interval error p50 | p99 | CPU | late p50 / floor |")
print("|---|---|---|---|---|---|---|---|---|")
for hertz in [60, 120, 240] {
  var columns = Array(repeating: [[Double]](), count: kinds.count)
  for round in 0..<rounds {
    // Each kind comes first in turn, so that no one always has the same neighbour.
    for offset in kinds.indices {
      let index = (round + offset) % kinds.count
      let run = kinds[index].run(hertz, frames)
      columns[index].append([
        quantile(0.5, of: run.stamps), quantile(0.5, of: run.lateness), quantile(0.99, of: run.lateness),
        quantile(0.5, of: run.intervalErrors), quantile(0.99, of: run.intervalErrors), run.load * 100,
      ])
    }
  }
  let medians = columns.map { runs in (0..<6).map { column in median(runs.map { $0[column] }) } }
  for (kind, values) in zip(kinds, medians) {
    let times = values[0..<5].map { rounded($0, 10) }
    let ratio = rounded(values[1] / medians[0][1], 100)
    let cells = ["\(hertz) Hz", kind.name] + times + ["\(rounded(values[5], 100)) %", ratio]
    print("| " + cells.joined(separator: " | ") + " |")
  }
}
