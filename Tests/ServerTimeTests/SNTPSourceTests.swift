import FoundationEssentials
import LoopCore
import Testing
import WakeLoop

@Suite("SNTP, against servers of the test's own")
struct SNTPSourceTests {
  /// Quick, but with time enough for a slow machine to answer.
  private static let patient = ServerClock.Source.Pace(
    interval: .milliseconds(20), spacing: .milliseconds(5), asksSoon: 2, timeout: .seconds(30))
  /// For servers that don't answer.
  private static let hasty = ServerClock.Source.Pace(
    interval: .milliseconds(20), spacing: .milliseconds(5), asksSoon: 0, timeout: .milliseconds(50))

  /// Asks a server that answers as told until the source has told so many answers.
  private static func answers(
    _ count: Int, pace: ServerClock.Source.Pace = patient,
    server answer: @escaping @Sendable (FakeNTPServer, Int, NTPPacket) -> [[UInt8]],
    check:
      @escaping @Sendable ([ServerClock.Source.Answer], ServerClock, SNTPSource, FakeNTPServer) throws -> Void
  ) {
    onLoopThread { loop in
      let server = try FakeNTPServer(on: loop, answer: answer)
      let clock = ServerClock(on: loop)
      let source = SNTPSource(try server.socket.endpoint, pace: pace)
      var answers: [ServerClock.Source.Answer] = []
      source.onAnswer = { _, answer in
        answers.append(answer)
        if answers.count == count { loop.stop() }
      }
      clock.add(source)
      loop.run()
      try check(answers, clock, source, server)
    }
  }

  /// The failure of the first question to a server that answers as told.
  private static func failure(
    kind: ServerClock.Failure.Kind, pace: ServerClock.Source.Pace = patient, saying words: String,
    server: @escaping @Sendable (FakeNTPServer, Int, NTPPacket) -> [[UInt8]]
  ) {
    answers(1, pace: pace, server: server) { answers, clock, source, server in
      guard case .failure(let failure) = answers.first else {
        Issue.record("\(answers)")
        return
      }
      #expect(failure.kind == kind, "\(failure)")
      #expect(failure.message.contains(words), "\(failure)")
      #expect(source.lastFailure == failure)
      #expect(!clock.isSynchronized)
      #expect(server.questions.count == 1)
    }
  }

  @Test("good answers set the clock to the server's time, whatever the local clock shows")
  func goodAnswers() {
    Self.answers(
      4,
      server: { server, _, question in
        server.ahead = 3600_000_000_000
        return [server.reply(to: question) { $0.leap = 1 }]
      }
    ) { answers, clock, source, server in
      try expectWithinBound(clock, ahead: server.ahead)
      #expect(source.leap == .insertsSecond)
      #expect(source.stratum == 2)
      #expect(source.lastFailure == nil)
      let localError = try #require(clock.localError)
      #expect(abs((localError + .seconds(3600)) / .seconds(1)) < 30)
      for case .failure(let failure) in answers { Issue.record("\(failure)") }
      // No two questions bear the same number, nor tell the time of day.
      #expect(Set(server.questions.map(\.transmit.bits)).count == server.questions.count)
    }
  }

  @Test("times after the rollover of 2036 are told right")
  func rollover() {
    Self.answers(
      2,
      server: { server, _, question in
        server.ahead = 2_200_000_000 * 1_000_000_000 - FakeNTPServer.wall
        return [server.reply(to: question)]
      }
    ) { answers, clock, _, _ in
      let date = try #require(clock.date)
      #expect(abs(date.timeIntervalSince1970 - 2_200_000_000) < 60)
    }
  }

  @Test("false answers are passed over, and the true one behind them is taken")
  func falseBeforeTrue() {
    Self.answers(
      1,
      server: { server, _, question in
        [
          [], [1, 2, 3], Array(server.reply(to: question).dropLast()),
          server.reply(to: question) { $0.origin = NTPTimestamp(bits: $0.origin.bits ^ 1) },
          server.reply(to: question) { $0.mode = 5 },
          server.reply(to: question) {
            // A kiss that anybody could have sent.
            $0.stratum = 0
            $0.referenceID = 0x4445_4E59
            $0.origin = NTPTimestamp(bits: 0)
          },
          server.reply(to: question),
        ]
      }
    ) { answers, clock, source, _ in
      guard case .sample = answers.first else {
        Issue.record("\(answers)")
        return
      }
      #expect(clock.isSynchronized)
      #expect(!source.hasEnded)
    }
  }

  @Test("false answers alone are no answer, and the failure says why the last was refused")
  func falseOnly() {
    Self.failure(kind: .timedOut, pace: Self.hasty, saying: "another question") { server, _, question in
      [server.reply(to: question) { $0.origin = NTPTimestamp(bits: 7) }]
    }
    Self.failure(kind: .timedOut, pace: Self.hasty, saying: "12 bytes") { _, _, _ in
      [[UInt8](repeating: 0, count: 12)]
    }
  }

  @Test("a flood of false answers ends the question")
  func flood() {
    Self.failure(kind: .badAnswer, saying: "too short") { _, _, _ in
      Array(repeating: [0x24], count: 100)
    }
  }

  @Test("a server that is not synchronised is refused, whatever stratum it claims")
  func unsynchronised() {
    Self.failure(kind: .unsynchronized, saying: "not synchronised") { server, _, question in
      [server.reply(to: question) { $0.leap = 3 }]
    }
    Self.failure(kind: .unsynchronized, saying: "stratum 16") { server, _, question in
      [server.reply(to: question) { $0.stratum = 16 }]
    }
    Self.failure(kind: .unsynchronized, saying: "not synchronised") { server, _, question in
      [server.reply(to: question) { $0.rootDispersion = 20 << 16 }]
    }
  }

  @Test("times that can't be are refused")
  func impossible() {
    Self.failure(kind: .badAnswer, saying: "before the question") { server, _, question in
      [
        server.reply(to: question) {
          $0.transmit = NTPTimestamp(unixNanoseconds: server.time - 1_000_000_000)
        }
      ]
    }
    Self.failure(kind: .badAnswer, saying: "longer than") { server, _, question in
      [
        server.reply(to: question) {
          $0.transmit = NTPTimestamp(unixNanoseconds: server.time + 100_000_000_000)
        }
      ]
    }
    Self.failure(kind: .badAnswer, saying: "no time") { server, _, question in
      [server.reply(to: question) { $0.transmit = NTPTimestamp(bits: 0) }]
    }
  }

  @Test("silence ends in a timeout, and the next try comes later each time")
  func silence() {
    Self.answers(3, pace: Self.hasty, server: { _, _, _ in [] }) { answers, _, source, server in
      for answer in answers {
        guard case .failure(let failure) = answer, failure.kind == .timedOut else {
          Issue.record("\(answer)")
          return
        }
      }
      #expect(server.questions.count == 3)
      #expect(!source.hasEnded)
    }
  }

  @Test("an answer that comes after its timeout is not taken for the next question's")
  func lateAnswer() {
    let late = LockedBytes()
    Self.answers(
      3, pace: Self.hasty,
      server: { server, number, question in
        // Each answer but the last bears the number of the question before.
        let answer = server.reply(to: question)
        return number == 3 ? [late.swap(answer), answer] : [late.swap(answer)]
      }
    ) { answers, _, _, _ in
      guard case .failure = answers[0], case .failure = answers[1], case .sample = answers[2] else {
        Issue.record("\(answers)")
        return
      }
    }
  }

  @Test("DENY and RSTR end it: the server is not asked again, and the run is not kept alive")
  func denied() {
    for code: UInt32 in [0x4445_4E59, 0x5253_5452] {
      onLoopThread { loop in
        let server = try FakeNTPServer(on: loop) { server, _, question in
          [
            server.reply(to: question) {
              $0.stratum = 0
              $0.leap = 3
              $0.referenceID = code
            }
          ]
        }
        let clock = ServerClock(on: loop)
        let source = SNTPSource(try server.socket.endpoint, pace: Self.patient)
        var failures: [ServerClock.Failure] = []
        source.onAnswer = { _, answer in if case .failure(let failure) = answer { failures.append(failure) } }
        clock.add(source)
        loop.run()
        #expect(failures.map(\.kind) == [.denied])
        #expect(source.hasEnded)
        #expect(server.questions.count == 1)
      }
    }
  }

  @Test("RATE slows it down, and other codes count as failures")
  func rate() {
    Self.answers(
      3,
      server: { server, number, question in
        if number == 3 { return [server.reply(to: question)] }
        return [
          server.reply(to: question) {
            $0.stratum = 0
            $0.referenceID = number == 1 ? 0x5241_5445 : 0x494E_4954
          }
        ]
      }
    ) { answers, clock, _, _ in
      guard case .failure(let first) = answers[0], case .failure(let second) = answers[1],
        case .sample = answers[2]
      else {
        Issue.record("\(answers)")
        return
      }
      #expect(first.kind == .askedTooOften)
      #expect(second.kind == .badAnswer)
      #expect(second.message.contains("INIT"))
      #expect(clock.isSynchronized)
    }
  }

  @Test("a port on which nobody listens is told at once, and the next server is asked")
  func nextServer() {
    onLoopThread { loop in
      let server = try FakeNTPServer(on: loop) { server, _, question in [server.reply(to: question)] }
      let clock = ServerClock(on: loop)
      let source = SNTPSource(
        try ServerClock.Endpoint("127.0.0.1", port: deadPort(stream: false)), try server.socket.endpoint,
        pace: Self.patient)
      var failures: [ServerClock.Failure] = []
      source.onAnswer = { _, answer in
        switch answer {
        case .failure(let failure): failures.append(failure)
        case .sample: loop.stop()
        }
      }
      clock.add(source)
      loop.run()
      #expect(failures.map(\.kind) == [.unreachable])
      #expect(clock.isSynchronized)
    }
  }

  @Test("a resolver is asked for addresses, now or later, and again when all have failed")
  func resolver() {
    onLoopThread { loop in
      let server = try FakeNTPServer(on: loop) { server, _, question in [server.reply(to: question)] }
      let clock = ServerClock(on: loop)
      var asked = 0
      let dead = try ServerClock.Endpoint("127.0.0.1", port: deadPort(stream: false))
      let alive = try server.socket.endpoint
      let source = SNTPSource(pace: Self.patient) { found in
        asked += 1
        switch asked {
        case 1: found([])
        case 2: found([dead])
        default: loop.after(.milliseconds(5)) { _ in found([alive]) }
        }
      }
      var failures: [ServerClock.Failure] = []
      var samples = 0
      source.onAnswer = { _, answer in
        switch answer {
        case .failure(let failure): failures.append(failure)
        case .sample: samples += 1
        }
        if samples == 3 { loop.stop() }
      }
      clock.add(source)
      loop.run()
      #expect(failures.map(\.kind) == [.noAddress, .unreachable])
      // Not for each question: the address that was found does.
      #expect(asked == 3)
      #expect(clock.isSynchronized)
    }
  }

  @Test("stopping it, or letting its clock go, leaves nothing in the loop")
  func lettingGo() {
    onLoopThread { loop in
      let server = try FakeNTPServer(on: loop) { _, _, _ in [] }
      let before = loop.items.count
      var clock: ServerClock? = ServerClock(on: loop)
      var source: SNTPSource? = SNTPSource(try server.socket.endpoint, pace: Self.patient)
      clock?.add(source!)
      #expect(loop.items.count == before + 2)
      source?.stop()
      #expect(loop.items.count == before)
      let isGone = { [weak source] in source == nil }
      source = nil
      #expect(isGone())
      clock?.add(SNTPSource(try server.socket.endpoint, pace: Self.patient))
      #expect(loop.items.count == before + 2)
      clock = nil
      #expect(loop.items.count == before)
    }
  }

  @Test("only numeric addresses are taken, so that nothing waits for a name server")
  func addresses() throws {
    for text in [
      "", "localhost", "pool.ntp.org", "1", "127.1", "300.0.0.1", "1.2.3.4.5", "::g", "127.0.0.1\0",
    ] {
      #expect(throws: ServerClock.Failure.self, "\(text)") { try ServerClock.Endpoint(text, port: 123) }
    }
    #expect(throws: ServerClock.Failure.self) { try ServerClock.Endpoint("127.0.0.1", port: 0) }
    #expect(try ServerClock.Endpoint("127.0.0.1", port: 123).description == "127.0.0.1:123")
    #expect(try ServerClock.Endpoint("::1", port: 123).description == "[::1]:123")
  }
}
