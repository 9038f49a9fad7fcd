import Testing

@Suite("Loops of threads that come and go")
struct ShortThreadTests {
  @Test("2,000 short threads that run a loop in two modes leave descriptors and memory flat")
  func shortThreads() throws {
    let run = try Program.run(Program.path("ShortThreads"), ["2000"])
    #expect(run.status == 0, "\(run)")
    var words: [String: [Int]] = [:]
    for line in run.output.split(separator: "\n") {
      let parts = line.split(separator: " ")
      words[String(parts[0])] = parts.dropFirst().compactMap { Int($0) }
    }
    #expect(words["fired"] == [4000])
    let early = try #require(words["early"])
    let late = try #require(words["late"])
    // The last thread may still be on its way out.
    #expect(late[0] <= early[0] + 8, "descriptors rose from \(early[0]) to \(late[0])")
    // A leak of one small loop a thread would be tens of megabytes.
    #expect(late[1] - early[1] < 4096, "memory rose from \(early[1]) to \(late[1]) KiB")
  }
}
