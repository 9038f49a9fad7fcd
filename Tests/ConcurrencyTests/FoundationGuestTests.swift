import Testing

@Suite("Foundation's main run loop in ours", .serialized)
struct FoundationGuestTests {
  /// Served by Foundation's descriptors, or without them by its next date.
  static let ways = ["descriptors", "dates"]

  private func passes(_ scenario: String, _ way: String) throws {
    let program = try Program("FoundationGuest", scenario, way)
    #expect(program.output == ["ok"])
    #expect(program.status == 0)
  }

  @Test("its timers fire in passes, on their grid, never early, also dated again", arguments: ways)
  func timers(way: String) throws { try passes("timers", way) }

  @Test("its performs run before the loop sleeps, under the stamp of who asked", arguments: ways)
  func performs(way: String) throws { try passes("performs", way) }

  @Test("with nothing but far dates the loop makes no pass", arguments: ways)
  func idle(way: String) throws { try passes("idle", way) }

  @Test("what other threads add to it is served once the loop wakes", arguments: ways)
  func lateComers(way: String) throws { try passes("lateComers", way) }

  @Test("10,000 blocks of the main queue and as many jobs run once each, none in its turn", arguments: ways)
  func posts(way: String) throws { try passes("posts", way) }

  @Test("no longer hosted, its timers stand still and ours go on", arguments: ways)
  func ended(way: String) throws { try passes("ended", way) }

  @Test("its common timers act in the common modes, nothing of it in a private one", arguments: ways)
  func modes(way: String) throws { try passes("modes", way) }

  @Test("its handlers may run our loop, and ours its", arguments: ways)
  func nested(way: String) throws { try passes("nested", way) }

  @Test("an async body may wait for its timers", arguments: ways)
  func bodies(way: String) throws { try passes("bodies", way) }

  @Test("what Foundation makes impossible is as the documentation says", arguments: ways)
  func limits(way: String) throws { try passes("limits", way) }
}
