import LoopCore

extension FrameReport {
  /// The picture, as the text of an SVG file.
  ///
  /// - Complexity: O(n log n) in the number of frames; the text's length does not grow with it.
  public var svg: String {
    var drawing = Drawing(width: 960, height: 670)
    drawing.text(title, x: 40, y: 34, size: 20, weight: "bold")
    for (row, line) in summary.enumerated() {
      drawing.text(line, x: 40, y: 56 + 17 * Double(row), size: 13, color: "#555")
    }
    guard samples.count > 1, let first = samples.first, let last = samples.last else {
      drawing.text("There are not two frames to show.", x: 40, y: 120, size: 14)
      return drawing.svg
    }
    let times = samples.map { Double($0.timestamp &- first.timestamp) / 1e9 }
    let length = max(Double(last.timestamp &- first.timestamp) / 1e9, 1e-9)
    let intervals = intervals.map { $0.map { Double($0) / 1e6 } }
    let lateness = samples.map { Double($0.lateness) / 1e6 }

    let timeAxis = Axis(from: 0, to: length, unit: "s")
    var panel = Panel(
      x: 70, y: 110, width: 850, height: 150, title: "Time from frame to frame", across: timeAxis,
      up: Axis(from: 0, to: Self.top(of: intervals.compactMap { $0 }), unit: "ms"))
    panel.frame(in: &drawing)
    for (index, sample) in samples.enumerated() where sample.hitch > 0 {
      panel.mark(at: times[index], in: &drawing)
    }
    panel.points(times, intervals, color: "#1f6fb2", in: &drawing)

    panel = Panel(
      x: 70, y: 305, width: 850, height: 110, title: "Lateness of the pass after its refresh",
      across: timeAxis, up: Axis(from: 0, to: Self.top(of: lateness), unit: "ms"))
    panel.frame(in: &drawing)
    panel.points(times, lateness, color: "#2a8a57", in: &drawing)

    histogram(
      intervals.compactMap { $0 }, title: "Frames by time from frame to frame", x: 70, color: "#1f6fb2",
      in: &drawing)
    histogram(lateness, title: "Frames by lateness", x: 520, color: "#2a8a57", in: &drawing)
    return drawing.svg
  }

  private func histogram(
    _ values: [Double], title: String, x: Double, color: String, in drawing: inout Drawing
  ) {
    let bins = Bins(values, count: 40)
    let panel = Panel(
      x: x, y: 475, width: 400, height: 140, title: title, across: bins.axis,
      up: Axis(from: 0, to: Double(bins.counts.max() ?? 1), unit: ""))
    panel.frame(in: &drawing)
    panel.bars(bins.counts.map(Double.init), color: color, in: &drawing)
  }

  /// The numbers, in two lines.
  private var summary: [String] {
    let sorted = intervals.compactMap { $0 }.sorted()
    let late = samples.map(\.lateness).sorted()
    func milliseconds(_ sorted: [Int64], _ share: Double) -> String {
      decimal(Double(FrameWindow.quantile(share, of: sorted)) / 1e6, places: 2)
    }
    let sum = sorted.reduce(0, &+)
    let rate = sum > 0 ? Double(sorted.count) * 1e9 / Double(sum) : 0
    let hitchTime = samples.reduce(0) { $0 &+ $1.hitch }
    let ratio = sum > 0 ? Double(hitchTime) * 1e3 / Double(sum) : 0
    return [
      "\(samples.count) frames, \(decimal(rate, places: 2)) a second; \(missedFrames) missed. "
        + "\(hitches) hitches, \(decimal(ratio, places: 1)) ms a second.",
      "From frame to frame: p50 \(milliseconds(sorted, 0.5)), p95 \(milliseconds(sorted, 0.95)), "
        + "p99 \(milliseconds(sorted, 0.99)) ms. Lateness: p50 \(milliseconds(late, 0.5)), "
        + "p99 \(milliseconds(late, 0.99)) ms.",
    ]
  }

  /// What an axis has to reach: what is far above the rest is cut off, and drawn at the edge.
  private static func top(of values: [Double]) -> Double {
    guard let highest = values.max(), highest > 0 else { return 1 }
    let sorted = values.sorted()
    let middle = sorted[sorted.count / 2]
    let most = sorted[(sorted.count - 1) * 99 / 100]
    return min(highest, max(3 * middle, 1.5 * most)) * 1.1
  }
}
