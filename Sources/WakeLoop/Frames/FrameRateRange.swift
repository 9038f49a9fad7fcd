import LoopCore

/// The frame rates that an animation is content with, in hertz.
///
/// A display offers its own rate divided by 1, 2, 3 … A link is called at the one of them within the range that is
/// nearest to the preferred; halfway between two, at the higher. If none lies within the range, the nearest of
/// all. 0, negative numbers and NaN say nothing; infinity, and whatever is above the display's rate, is the
/// display's. A maximum below the minimum counts as the minimum, and a preferred rate outside of both as the nearer.
public struct FrameRateRange: Hashable, Sendable {
  /// The lowest rate in hertz; 0 is any.
  public var minimum: Float
  /// The highest rate in hertz; 0 is any.
  public var maximum: Float
  /// The best rate in hertz; nil or 0 is the highest in the range.
  public var preferred: Float?

  /// Makes a range.
  public init(minimum: Float, maximum: Float, preferred: Float? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.preferred = preferred
  }

  /// No preference: the display's own rate.
  public static let `default` = FrameRateRange(minimum: 0, maximum: 0)

  var preference: FrameRatePreference {
    FrameRatePreference(
      minimum: Double(minimum), maximum: Double(maximum), preferred: Double(preferred ?? 0))
  }
}
