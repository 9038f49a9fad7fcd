/// Collects the numbers of all rounds and prints their medians as one markdown table.
struct Table {
  private struct Row {
    var workload: String
    var unit: String
    var values: [Peer: [Double]] = [:]
  }

  private var rows: [Row] = []

  mutating func add(_ measurement: Measurement, of peer: Peer) {
    let index = rows.firstIndex { $0.workload == measurement.workload } ?? rows.endIndex
    if index == rows.endIndex {
      rows.append(Row(workload: measurement.workload, unit: measurement.unit))
    }
    rows[index].values[peer, default: []].append(measurement.value)
  }

  /// The table; a ratio below 1 says that WakeLoop takes less than libevent, or where that has no part in it,
  /// than Dispatch.
  var markdown: String {
    var lines = [
      "| workload/size | unit | WakeLoop | libevent | dispatch | ratio | timer queue alone | by the main queue |",
      "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows {
      let medians = row.values.mapValues(Self.median)
      let ratio = medians[.wakeLoop].flatMap { own in
        (medians[.libevent] ?? medians[.dispatch]).map { own / $0 }
      }
      let cells =
        [row.workload, row.unit, text(medians[.wakeLoop]), text(medians[.libevent])]
        + [text(medians[.dispatch]), ratio.map { Self.rounded($0, to: 100) } ?? ""]
        + [text(medians[.timerQueue]), text(medians[.wakeLoopByQueue])]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  private func text(_ value: Double?) -> String { value.map { Self.rounded($0, to: 10) } ?? "" }

  private static func rounded(_ value: Double, to parts: Double) -> String {
    String((value * parts).rounded() / parts)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
