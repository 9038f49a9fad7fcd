// Runs each workload on each peer, the rounds interleaved, and prints a table of medians.
import Glibc

let usage = """
  usage: run.sh [--rounds N] [name …]
    --rounds N  how many rounds the medians are of (default 3)
    name        only workloads whose name begins with one of these, such as W1 or W3/1
  """

var rounds = 3
var names: [String] = []
var arguments = Array(CommandLine.arguments.dropFirst())

if arguments.first == "--child" {
  let workload = Catalogue.workloads.first { $0.name == arguments[1] }
  guard let peer = Peer(rawValue: arguments[2]), let run = workload?.run[peer] else {
    fatalError("no workload \(arguments[1]) of \(arguments[2])")
  }
  ChildRun.print(run())
  exit(0)
}

while !arguments.isEmpty {
  let argument = arguments.removeFirst()
  switch argument {
  case "--rounds":
    guard let count = arguments.first.flatMap({ Int($0) }), count > 0 else {
      print(usage)
      exit(2)
    }
    rounds = count
    arguments.removeFirst()
  case "--help", "-h":
    print(usage)
    exit(0)
  default:
    names.append(argument)
  }
}

let chosen = Catalogue.workloads.filter { workload in
  names.isEmpty || names.contains { workload.name.hasPrefix($0) }
}
var table = Table()
for round in 1...rounds {
  let progress = "round \(round) of \(rounds)\n"
  write(STDERR_FILENO, progress, progress.utf8.count)
  for workload in chosen {
    for peer in Peer.allCases where workload.run[peer] != nil {
      for measurement in ChildRun.measure(workload, peer) { table.add(measurement, of: peer) }
    }
  }
}
print(table.markdown)
