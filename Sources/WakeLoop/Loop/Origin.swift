/// Where an item was made, in one word: a pointer to the file's identifier and a line.
///
/// User-space pointers leave the upper sixteen bits free, and file identifiers are literals that live as long
/// as the process.
struct Origin {
  private let bits: UInt64

  /// Keeps a file identifier and a line; lines above 65,535 read back as that.
  init(_ fileID: StaticString, _ line: UInt) {
    let pointer =
      fileID.hasPointerRepresentation ? UInt64(UInt(bitPattern: fileID.utf8Start)) : 0
    precondition(pointer >> 48 == 0, "a literal's address has more than 48 bits: \(pointer)")
    bits = pointer | UInt64(min(line, 65_535)) << 48
  }

  /// The file's identifier and the line, such as `App/Main.swift:12`.
  var text: String {
    guard let file = UnsafePointer<UInt8>(bitPattern: UInt(bits & 0xFFFF_FFFF_FFFF)) else {
      return "?:\(bits >> 48)"
    }
    // A static string's bytes end with a zero.
    return "\(String(cString: file)):\(bits >> 48)"
  }
}
