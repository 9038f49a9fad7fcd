import FoundationEssentials
import Testing
import WakeLoop

@Suite("HTTP dates, against servers of the test's own")
struct HTTPDateSourceTests {
  private static let patient = ServerClock.Source.Pace(
    interval: .milliseconds(20), spacing: .milliseconds(5), asksSoon: 0, timeout: .seconds(30))
  private static let hasty = ServerClock.Source.Pace(
    interval: .milliseconds(20), spacing: .milliseconds(5), asksSoon: 0, timeout: .milliseconds(100))

  private static func answers(
    _ count: Int, pace: ServerClock.Source.Pace = patient, method: HTTPDateSource.Method = .head,
    server answer: @escaping @Sendable (Int) -> FakeHTTPServer.Reply?,
    check: @escaping @Sendable ([ServerClock.Source.Answer], ServerClock, FakeHTTPServer) throws -> Void
  ) {
    onLoopThread { loop in
      let server = try FakeHTTPServer(on: loop) { number, _ in answer(number) }
      let clock = ServerClock(on: loop)
      let source = HTTPDateSource(
        try server.socket.endpoint, host: "time.example", path: "/now", method: method, pace: pace)
      var answers: [ServerClock.Source.Answer] = []
      source.onAnswer = { _, answer in
        answers.append(answer)
        if answers.count == count { loop.stop() }
      }
      clock.add(source)
      loop.run()
      try check(answers, clock, server)
    }
  }

  private static func failure(
    kind: ServerClock.Failure.Kind, pace: ServerClock.Source.Pace = patient, saying words: String,
    server: @escaping @Sendable (Int) -> FakeHTTPServer.Reply?
  ) {
    answers(1, pace: pace, server: server) { answers, clock, _ in
      guard case .failure(let failure) = answers.first else {
        Issue.record("\(answers)")
        return
      }
      #expect(failure.kind == kind, "\(failure)")
      #expect(failure.message.contains(words), "\(failure)")
      #expect(!clock.isSynchronized)
    }
  }

  private static func good(ahead: Int = 0, status: String = "200 OK", more: String = "") -> String {
    "HTTP/1.1 \(status)\r\nServer: test\r\nDate: \(FakeHTTPServer.date(ahead: ahead))\r\n\(more)\r\n"
  }

  @Test("a date sets the clock to the middle of its second, give or take half of it and half the round trip")
  func date() {
    Self.answers(1, server: { _ in .init(parts: [Self.good(ahead: -7200)]) }) { answers, clock, server in
      let reading = try #require(clock.reading)
      #expect(reading.errorBound >= .milliseconds(500))
      try expectWithinBound(clock, ahead: -7_200_000_000_000)
      #expect(
        server.requests.first
          == "HEAD /now HTTP/1.1\r\nHost: time.example\r\nUser-Agent: WakeLoop\r\nCache-Control: no-cache\r\n"
          + "Connection: close\r\n\r\n")
    }
  }

  @Test("further answers are asked for at the turn of a second, and narrow the bound")
  func narrowing() {
    onLoopThread { loop in
      let server = try FakeHTTPServer(on: loop) { _, _ in .init(parts: [Self.good()]) }
      let clock = ServerClock(on: loop)
      var bounds: [Duration] = []
      clock.onSample = { clock, _ in
        if let reading = clock.reading { bounds.append(reading.errorBound) }
        if bounds.count == 5 { loop.stop() }
      }
      clock.add(HTTPDateSource(try server.socket.endpoint, host: "x", pace: Self.patient))
      loop.run()
      let (first, last) = (try #require(bounds.first), try #require(bounds.last))
      #expect(last < first)
      try expectWithinBound(clock)
    }
  }

  @Test(
    "a head may come in pieces, after an interim response, with any status that is not the server's failure")
  func pieces() {
    let head = Array(Self.good(status: "404 Not Found"))
    let pieces = stride(from: 0, to: head.count, by: 20).map { String(head[$0..<min($0 + 20, head.count)]) }
    Self.answers(
      1, method: .get,
      server: { _ in .init(parts: ["HTTP/1.1 103 Early Hints\r\n\r\n"] + pieces, closes: false) }
    ) { answers, clock, server in
      #expect(clock.isSynchronized, "\(answers)")
      #expect(server.requests.first?.hasPrefix("GET /now HTTP/1.1\r\n") == true)
    }
  }

  @Test("what tells no time is refused with the reason")
  func refused() {
    Self.failure(kind: .badAnswer, saying: "status 503") { _ in .init(parts: [Self.good(status: "503 No")]) }
    Self.failure(kind: .badAnswer, saying: "no date") { _ in .init(parts: ["HTTP/1.1 200 OK\r\n\r\n"]) }
    Self.failure(kind: .badAnswer, saying: "is no date") { _ in
      .init(parts: ["HTTP/1.1 200 OK\r\nDate: tomorrow\r\n\r\n"])
    }
    Self.failure(kind: .badAnswer, saying: "had kept") { _ in .init(parts: [Self.good(more: "Age: 30\r\n")]) }
    Self.failure(kind: .badAnswer, saying: "not HTTP") { _ in .init(parts: ["SSH-2.0-server\r\n"]) }
    Self.failure(kind: .badAnswer, saying: "ended before") { _ in .init(parts: ["HTTP/1.1 200 OK\r\n"]) }
    Self.failure(kind: .badAnswer, saying: "does not end") { _ in
      .init(
        parts: ["HTTP/1.1 200 OK\r\nX: "] + Array(repeating: String(repeating: "x", count: 4000), count: 8))
    }
  }

  @Test("a server that says nothing, or only half, ends in a timeout")
  func silence() {
    Self.failure(kind: .timedOut, pace: Self.hasty, saying: "no response") { _ in nil }
    Self.failure(kind: .timedOut, pace: Self.hasty, saying: "head did not end") { _ in
      .init(parts: ["HTTP/1.1 200 OK\r\n"], closes: false)
    }
  }

  @Test("a port on which nobody listens is told as unreachable")
  func unreachable() {
    onLoopThread { loop in
      let clock = ServerClock(on: loop)
      let source = HTTPDateSource(
        try ServerClock.Endpoint("127.0.0.1", port: deadPort(stream: true)), host: "x", pace: Self.patient)
      source.onAnswer = { _, _ in loop.stop() }
      clock.add(source)
      loop.run()
      #expect(source.lastFailure?.kind == .unreachable)
      #expect(source.lastFailure?.message.contains("refused") == true)
    }
  }

  @Test("a source that keeps nothing alive lets the run end")
  func keepsNothingAlive() {
    onLoopThread { loop in
      let server = try FakeHTTPServer(on: loop) { _, _ in nil }
      let clock = ServerClock(on: loop)
      let source = HTTPDateSource(try server.socket.endpoint, host: "x", pace: Self.patient)
      source.keepsLoopAlive = false
      clock.add(source)
      loop.run()
      #expect(!source.hasEnded)
    }
  }
}
