import FoundationEssentials
import LoopCore
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Server clock")
struct ServerClockTests {
  @Test("before the first sample no time is told")
  func unknown() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    #expect(clock.reading == nil)
    #expect(clock.wakeDate == nil)
    #expect(clock.localError == nil)
    #expect(clock.timeSinceSample == nil)
    #expect(!clock.isSynchronized)
    #expect(!clock.wasStepped)
  }

  @Test("one answer tells the time give or take half the round trip")
  func oneAnswer() throws {
    let server = VirtualServer(ahead: .seconds(5000))
    let clock = ServerClock(on: server.loop, drift: 0)
    #expect(server.ask(clock, out: .milliseconds(30), back: .milliseconds(50)) == .refined)
    let reading = try #require(clock.reading)
    #expect(abs(reading.nanosecondsSince1970 - server.truth) <= 10_001_000)
    #expect(reading.errorBound >= .milliseconds(40))
    #expect(reading.errorBound < .milliseconds(41))
    #expect(!reading.isAssumed)
    #expect(abs(reading.date.timeIntervalSince(server.date)) < 0.0101)
  }

  @Test("setting the local clock moves nothing, and is told with how wrong the clock is now")
  func localClockIsSet() throws {
    let server = VirtualServer(ahead: .seconds(60))
    let clock = ServerClock(on: server.loop)
    server.ask(clock, out: .milliseconds(1), back: .milliseconds(1))
    let before = try #require(clock.localError)
    #expect(abs((before + .seconds(60)) / .seconds(1)) <= 0.002)
    for step in [-3600, 86_400 * 3650, -86_400 * 7300] {
      server.virtual.stepWallClock(by: .seconds(step))
      server.virtual.advance(by: .seconds(1))
      let reading = try #require(clock.reading)
      #expect(abs(reading.nanosecondsSince1970 - server.truth) < 3_000_000)
      #expect(clock.wasStepped)
    }
    #expect(clock.localStep == .seconds(-3600 - 86_400 * 3650))
    server.ask(clock, out: .milliseconds(1), back: .milliseconds(1))
    #expect(!clock.wasStepped)
    #expect(clock.localStep == .zero)
    let after = try #require(clock.localError)
    let expected = Duration.seconds(-60 - 3600 - 86_400 * 3650)
    #expect(abs((after - expected) / .seconds(1)) < 0.1)
  }

  @Test("who is told of a sample can ask whether the local clock was set before it")
  func setBeforeSample() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    var told: [Bool] = []
    clock.onSample = { clock, _ in told.append(clock.wasStepped) }
    server.ask(clock, out: .zero, back: .zero)
    server.virtual.stepWallClock(by: .seconds(-3600))
    server.ask(clock, out: .zero, back: .zero)
    server.ask(clock, out: .zero, back: .zero)
    #expect(told == [false, true, false])
  }

  @Test("a drifting wall clock is not taken for one that was set")
  func drift() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    server.virtual.setWallDrift(partsPerMillion: 400)
    for _ in 0..<100 {
      server.virtual.advance(by: .seconds(600))
      #expect(!clock.wasStepped)
    }
  }

  @Test("server time goes on while the machine sleeps")
  func sleep() throws {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    server.ask(clock, out: .milliseconds(1), back: .milliseconds(1))
    server.virtual.sleepMachine(for: .seconds(8 * 3600))
    let reading = try #require(clock.reading)
    #expect(abs(reading.nanosecondsSince1970 - server.truth) < 3_000_000)
    #expect(reading.errorBound >= .seconds(8 * 3600) / 2000)
    #expect(clock.timeSinceSample == .seconds(8 * 3600))
    #expect(!clock.wasStepped)
  }

  @Test("answers whose times can't be are refused")
  func refused() {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop)
    let now = Duration.nanoseconds(server.continuous)
    let date = server.date
    var outcomes: [ServerClock.Outcome] = []
    clock.onSample = { outcomes.append($1) }
    clock.take(sent: now, serverReceived: date, serverSent: date, received: now - .seconds(1))
    clock.take(sent: now, serverReceived: date, serverSent: date, received: now + .seconds(1))
    clock.take(sent: now - .seconds(1), serverReceived: date, serverSent: date - 1, received: now)
    clock.take(sent: now - .seconds(1), serverReceived: date, serverSent: date + 2, received: now)
    clock.take(sent: .seconds(-1), serverReceived: date, serverSent: date, received: now)
    clock.take(.distantPast)
    clock.take(.distantFuture, inAnswerTo: clock.question())
    clock.take(Date(timeIntervalSince1970: -1))
    #expect(outcomes == Array(repeating: .refused, count: 8))
    #expect(!clock.isSynchronized)
  }

  @Test("a lone server time near the wall clock's leaves the wall clock right, one far off does not")
  func loneTime() throws {
    let server = VirtualServer()
    for (ahead, shown) in [(0, 0), (1, 0), (3, 0), (4, -4), (-1, 1), (3600, -3600), (-3600, 3600)] {
      let clock = ServerClock(on: server.loop)
      // The wall is ahead by so much.
      let date = server.virtual.wallDate - Double(ahead)
      #expect(clock.take(date) == .refined)
      let reading = try #require(clock.reading)
      #expect(reading.isAssumed)
      #expect(reading.errorBound <= .seconds(3) + .microseconds(1))
      #expect(reading.date.timeIntervalSince(server.virtual.wallDate) == Double(shown), "\(ahead) s ahead")
    }
    let clock = ServerClock(on: server.loop)
    clock.take(server.virtual.wallDate - 1, policy: .asItCame())
    #expect(clock.date == server.virtual.wallDate - 1)
  }

  @Test("a correction back slows the time told down, and it never goes back")
  func slew() throws {
    let server = VirtualServer()
    let clock = ServerClock(on: server.loop, drift: 0)
    server.ask(clock, out: .zero, back: .zero)
    let start = try #require(clock.reading)
    server.step(by: .seconds(-10))
    #expect(server.ask(clock, out: .zero, back: .zero) == .disputed)
    #expect(clock.isDisputed)
    #expect(try #require(clock.reading).errorBound >= .seconds(10))
    #expect(server.ask(clock, out: .zero, back: .zero) == .replaced)
    #expect(!clock.isDisputed)
    server.virtual.advance(by: .seconds(10))
    let middle = try #require(clock.reading)
    #expect(middle.nanosecondsSince1970 - start.nanosecondsSince1970 == 5_000_000_000)
    #expect(middle.errorBound >= .seconds(5))
    server.virtual.advance(by: .seconds(10))
    #expect(abs(try #require(clock.reading).nanosecondsSince1970 - server.truth) < 1000)
    clock.reset()
    #expect(clock.reading == nil)
  }

  @Test("everything in a pass reads the same server time, after working, a sample and a nested run")
  func sharedNow() {
    let server = VirtualServer(ahead: .seconds(7))
    let clock = ServerClock(on: server.loop)
    server.ask(clock, out: .seconds(1), back: .zero)
    var told: [ServerClock.Reading?] = []
    var inner: [ServerClock.Reading?] = []
    let loop = server.loop
    loop.after(.seconds(1)) { _ in
      told.append(clock.wakeReading)
      server.virtual.block(for: .seconds(1))
      told.append(clock.wakeReading)
      server.ask(clock, out: .zero, back: .zero)
      let aside = Loop.Mode("aside")
      loop.after(.milliseconds(10), in: aside) { _ in inner.append(clock.wakeReading) }
      loop.run(mode: aside, for: .milliseconds(20))
      told.append(clock.wakeReading)
    }
    loop.after(.seconds(1)) { _ in told.append(clock.wakeReading) }
    loop.run()
    #expect(told.count == 4)
    #expect(Set(told).count == 1)
    #expect(inner.count == 1)
    #expect((inner.first??.nanosecondsSince1970 ?? 0) > (told.first??.nanosecondsSince1970 ?? .max))
    #expect((clock.reading?.nanosecondsSince1970 ?? 0) >= (inner.first??.nanosecondsSince1970 ?? .max))
  }
}
