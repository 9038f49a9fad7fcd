/// The range of one direction of a panel, and the round numbers in it.
struct Axis {
  let from: Double
  let to: Double
  let unit: String

  init(from: Double, to: Double, unit: String) {
    self.from = from
    self.to = to > from ? to : from + 1
    self.unit = unit
  }

  /// How far along the axis a value is, from 0 to 1; what is beyond is at the end.
  func position(_ value: Double) -> Double { min(max((value - from) / (to - from), 0), 1) }

  /// About `count` round numbers.
  func ticks(_ count: Int) -> [(value: Double, label: String)] {
    let rough = (to - from) / Double(count)
    var power = 1.0
    var places = 0
    while power * 10 <= rough { power *= 10 }
    while power > rough {
      power /= 10
      places += 1
    }
    let step = power * (rough / power < 2 ? 1 : rough / power < 5 ? 2 : 5)
    var ticks: [(Double, String)] = []
    var value = (from / step).rounded(.up) * step
    while value <= to + step / 1_000 {
      ticks.append((value, decimal(value, places: places)))
      value += step
    }
    return ticks
  }
}

/// How many values lie in each of some equal ranges.
struct Bins {
  let axis: Axis
  private(set) var counts: [Int]

  /// Counts values; the highest hundredth is gathered in the last range.
  init(_ values: [Double], count: Int) {
    let sorted = values.sorted()
    let low = sorted.first ?? 0
    let high = sorted.isEmpty ? 1 : sorted[(sorted.count - 1) * 99 / 100]
    let margin = max((high - low) * 0.1, 0.01)
    axis = Axis(from: max(0, low - margin), to: high + margin, unit: "ms")
    counts = Array(repeating: 0, count: count)
    for value in values {
      counts[min(Int(axis.position(value) * Double(count)), count - 1)] += 1
    }
  }
}

/// A rectangle of the picture with axes, in which things are drawn.
struct Panel {
  let x: Double
  let y: Double
  let width: Double
  let height: Double
  let title: String
  let across: Axis
  let up: Axis

  private func place(_ horizontal: Double, _ vertical: Double) -> (x: Double, y: Double) {
    (x + across.position(horizontal) * width, y + (1 - up.position(vertical)) * height)
  }

  /// Draws the axes, their numbers and the title.
  func frame(in drawing: inout Drawing) {
    drawing.text(title + (up.unit.isEmpty ? "" : ", in \(up.unit)"), x: x, y: y - 8, size: 13)
    for tick in up.ticks(4) {
      let y = place(across.from, tick.value).y
      drawing.line(x, y, x + width, y, color: "#e4e4e4")
      drawing.text(tick.label, x: x - 6, y: y + 4, color: "#555", anchor: "end")
    }
    for tick in across.ticks(width > 500 ? 10 : 5) {
      let x = place(tick.value, up.from).x
      drawing.line(x, y + height, x, y + height + 4, color: "#888")
      drawing.text(tick.label, x: x, y: y + height + 16, color: "#555", anchor: "middle")
    }
    drawing.text(across.unit, x: x + width, y: y + height + 30, color: "#555", anchor: "end")
    drawing.line(x, y + height, x + width, y + height, color: "#888")
  }

  /// Marks a moment over the whole height.
  func mark(at time: Double, in drawing: inout Drawing) {
    let x = place(time, up.from).x
    drawing.line(x, y, x, y + height, color: "#f2b8b0")
    drawing.path(
      "M\(decimal(x - 4)) \(decimal(y - 6))H\(decimal(x + 4))L\(decimal(x)) \(decimal(y))Z", color: "#c8402f",
      width: 1.5)
  }

  /// Draws values over time: as a line, or where there are more than fit, as each column's lowest to highest.
  func points(_ times: [Double], _ values: [Double?], color: String, in drawing: inout Drawing) {
    if times.count <= Int(width) {
      line(times, values, color: color, in: &drawing)
    } else {
      columns(times, values, color: color, in: &drawing)
    }
  }

  private func line(_ times: [Double], _ values: [Double?], color: String, in drawing: inout Drawing) {
    var path = ""
    var isDown = false
    for (time, value) in zip(times, values) {
      guard let value else {
        isDown = false
        continue
      }
      let (x, y) = place(time, value)
      path += "\(isDown ? "L" : "M")\(decimal(x)) \(decimal(y))"
      isDown = true
    }
    drawing.path(path, color: color, width: 1.2)
  }

  private func columns(_ times: [Double], _ values: [Double?], color: String, in drawing: inout Drawing) {
    var lowest = [Double](repeating: .infinity, count: Int(width) + 1)
    var highest = [Double](repeating: -.infinity, count: Int(width) + 1)
    for (time, value) in zip(times, values) {
      guard let value else { continue }
      let column = Int(across.position(time) * width)
      lowest[column] = min(lowest[column], value)
      highest[column] = max(highest[column], value)
    }
    var path = ""
    for column in lowest.indices where lowest[column] <= highest[column] {
      let x = decimal(x + Double(column))
      let low = place(across.from, lowest[column]).y
      let high = place(across.from, highest[column]).y
      path += "M\(x) \(decimal(low + 0.6))V\(decimal(high - 0.6))"
    }
    drawing.path(path, color: color, width: 1)
  }

  /// Draws one bar for each value, side by side.
  func bars(_ values: [Double], color: String, in drawing: inout Drawing) {
    let step = width / Double(values.count)
    for (index, value) in values.enumerated() where value > 0 {
      let top = min(place(across.from, value).y, y + height - 1)
      drawing.rectangle(
        x: x + Double(index) * step + 0.5, y: top, width: step - 1, height: y + height - top, color: color)
    }
  }
}
