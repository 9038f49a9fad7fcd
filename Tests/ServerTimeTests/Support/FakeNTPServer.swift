import Glibc
import LoopCore
import Testing
import WakeLoop

/// A server on the test's own loop, that answers as the test says.
final class FakeNTPServer {
  let socket = LoopbackSocket(stream: false)
  private(set) var questions: [NTPPacket] = []
  private var source: Loop.DescriptorSource?
  /// By how many nanoseconds its clock is ahead of the local wall clock.
  var ahead: Int64 = 0

  /// Makes a server whose answers, none or several, are made of the question's number and packet.
  init(on loop: Loop, answer: @escaping (FakeNTPServer, Int, NTPPacket) -> [[UInt8]]) throws {
    source = try loop.watch(socket.descriptor) { [weak self] _, _ in self?.serve(answer) }
    source?.keepsLoopAlive = false
  }

  deinit { source?.invalidate() }

  private func serve(_ answer: (FakeNTPServer, Int, NTPPacket) -> [[UInt8]]) {
    var bytes = [UInt8](repeating: 0, count: 256)
    var peer = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = LoopbackSocket.generic(&peer) {
      recvfrom(socket.descriptor, &bytes, bytes.count, 0, $0, &size)
    }
    guard count > 0, let question = NTPPacket(bytes[..<count]) else { return }
    questions.append(question)
    for reply in answer(self, questions.count, question) {
      let sent = LoopbackSocket.generic(&peer) { sendto(socket.descriptor, reply, reply.count, 0, $0, size) }
      precondition(sent == reply.count)
    }
  }

  /// The server's time in nanoseconds since 1970.
  var time: Int64 { Self.wall + ahead }

  static var wall: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// A good answer to a question, changed as the test wants.
  func reply(to question: NTPPacket, _ change: (inout NTPPacket) -> Void = { _ in }) -> [UInt8] {
    var packet = NTPPacket()
    packet.mode = NTPPacket.Mode.server
    packet.stratum = 2
    packet.precision = -20
    packet.reference = NTPTimestamp(unixNanoseconds: time - 60_000_000_000)
    packet.origin = question.transmit
    packet.receive = NTPTimestamp(unixNanoseconds: time)
    packet.transmit = NTPTimestamp(unixNanoseconds: time)
    change(&packet)
    return packet.bytes
  }
}

/// Checks that a clock tells the local wall clock's time, or one ahead of it by so many nanoseconds, within its bound.
///
/// The wall is read before and after, so that however long that takes, nothing but a wrong reading fails.
func expectWithinBound(_ clock: ServerClock, ahead: Int64 = 0) throws {
  let before = FakeNTPServer.wall + ahead
  let reading = try #require(clock.reading)
  let after = FakeNTPServer.wall + ahead
  let bound = Int64(reading.errorBound / .nanoseconds(1))
  #expect(reading.nanosecondsSince1970 >= before - bound)
  #expect(reading.nanosecondsSince1970 <= after + bound)
}
