/// Collects the elements of an SVG file.
struct Drawing {
  private let width: Int
  private let height: Int
  private var elements: [String] = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)" font-family="sans-serif">
    <rect width="\(width)" height="\(height)" fill="#fff"/>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  mutating func text(
    _ text: String, x: Double, y: Double, size: Int = 11, weight: String = "normal", color: String = "#222",
    anchor: String = "start"
  ) {
    elements.append(
      "<text x=\"\(decimal(x))\" y=\"\(decimal(y))\" font-size=\"\(size)\" font-weight=\"\(weight)\" "
        + "fill=\"\(color)\" text-anchor=\"\(anchor)\">\(Self.escaped(text))</text>")
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: String) {
    elements.append(
      "<line x1=\"\(decimal(x1))\" y1=\"\(decimal(y1))\" x2=\"\(decimal(x2))\" y2=\"\(decimal(y2))\" "
        + "stroke=\"\(color)\"/>")
  }

  mutating func path(_ data: String, color: String, width: Double) {
    elements.append(
      "<path d=\"\(data)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(decimal(width))\"/>")
  }

  mutating func rectangle(x: Double, y: Double, width: Double, height: Double, color: String) {
    elements.append(
      "<rect x=\"\(decimal(x))\" y=\"\(decimal(y))\" width=\"\(decimal(width))\" "
        + "height=\"\(decimal(height))\" fill=\"\(color)\"/>")
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}

/// A number with so many places after the point, as no formatter is needed for.
func decimal(_ value: Double, places: Int = 1) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
  var scale: Int64 = 1
  for _ in 0..<places { scale *= 10 }
  let scaled = Int64((value * Double(scale)).rounded())
  let magnitude = scaled.magnitude
  let whole = "\(scaled < 0 ? "-" : "")\(magnitude / UInt64(scale))"
  if places == 0 { return whole }
  let fraction = "\(magnitude % UInt64(scale))"
  return whole + "." + String(repeating: "0", count: places - fraction.count) + fraction
}
