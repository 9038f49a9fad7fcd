/// Draws numbers as pocket calculators do, so that no font is needed.
enum SevenSegments {
  /// The segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom.
  private static let digits: [[Bool]] = [
    "1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111",
    "1111011",
  ].map { $0.map { $0 == "1" } }

  /// Draws a number with its right edge at `x`.
  static func draw(_ number: Int, in window: Window, x: Int, y: Int, size: Int, color: UInt32) {
    var left = x
    var rest = max(0, number)
    repeat {
      left -= size + size / 2
      draw(digit: rest % 10, in: window, x: left, y: y, size: size, color: color)
      rest /= 10
    } while rest > 0
  }

  private static func draw(digit: Int, in window: Window, x: Int, y: Int, size: Int, color: UInt32) {
    let thick = max(2, size / 4)
    let places: [(x: Int, y: Int, isLevel: Bool)] = [
      (0, 0, true), (0, 0, false), (size - thick, 0, false), (0, size - thick / 2, true),
      (0, size, false), (size - thick, size, false), (0, 2 * size - thick, true),
    ]
    for (place, isLit) in zip(places, digits[digit]) where isLit {
      window.fillRectangle(
        color, x: x + place.x, y: y + place.y, width: place.isLevel ? size : thick,
        height: place.isLevel ? thick : size)
    }
  }
}
