import LoopCore
import Testing

@Suite("NTP packets")
struct NTPTests {
  private let second: Int64 = 1_000_000_000
  private let start: Int64 = 1_767_225_600_000_000_000

  private func answer(at time: Int64, nonce: UInt64) -> NTPPacket {
    var packet = NTPPacket()
    packet.mode = NTPPacket.Mode.server
    packet.stratum = 2
    packet.precision = -20
    packet.rootDelay = 0x0000_0100
    packet.rootDispersion = 0x0000_0200
    packet.reference = NTPTimestamp(unixNanoseconds: time - 100 * second)
    packet.origin = NTPTimestamp(bits: nonce)
    packet.receive = NTPTimestamp(unixNanoseconds: time)
    packet.transmit = NTPTimestamp(unixNanoseconds: time + 1000)
    return packet
  }

  private func refusal(_ change: (inout NTPPacket) -> Void, received: Int64 = 20_000_000) -> NTPAnswer
    .Refusal?
  {
    var packet = answer(at: start, nonce: 7)
    change(&packet)
    do {
      _ = try NTPAnswer(packet.bytes, nonce: 7, sent: 10_000_000, received: received)
      return nil
    } catch {
      return error
    }
  }

  @Test("known moments have the seconds that the standard gives them, on both sides of the rollover in 2036")
  func knownMoments() {
    #expect(NTPTimestamp(unixNanoseconds: 0).bits == 2_208_988_800 << 32)
    #expect(NTPTimestamp(bits: 0xFFFF_FFFF_0000_0000).unixNanoseconds == 2_085_978_495 * second)
    #expect(NTPTimestamp(bits: 0x0000_0000_8000_0000).unixNanoseconds == 2_085_978_496 * second + second / 2)
    #expect(NTPTimestamp(bits: 0x8000_0000_0000_0000).unixNanoseconds == -61_505_152 * second)
  }

  @Test("what is written is read back to the nanosecond, from 1970 to 2104")
  func roundTrips() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<100_000 {
      let time = Int64.random(in: 0...(4_233_462_143 * second), using: &random)
      let back = NTPTimestamp(unixNanoseconds: time).unixNanoseconds
      if back != time { Issue.record("\(time) became \(back)") }
    }
  }

  @Test("bytes and fields say the same")
  func bytes() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<1000 {
      let bytes = (0..<48).map { _ in UInt8.random(in: 0...255, using: &random) }
      let packet = try #require(NTPPacket(bytes))
      #expect(packet.bytes == bytes)
    }
    #expect(NTPPacket([UInt8](repeating: 0, count: 47)) == nil)
    #expect(NTPPacket([UInt8](repeating: 0, count: 1000)) != nil)
  }

  @Test("a question gives nothing away but its nonce")
  func question() throws {
    var packet = NTPPacket()
    packet.transmit = NTPTimestamp(bits: 0x0102_0304_0506_0708)
    let bytes = packet.bytes
    #expect(bytes.count == 48)
    #expect(bytes[0] == 0b0010_0011)
    #expect(bytes[1..<40].allSatisfy { $0 == 0 })
    #expect(Array(bytes[40...]) == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("a valid answer gives the middle, with the server's own distance in the bound")
  func valid() throws {
    let packet = answer(at: start, nonce: 7)
    let answer = try NTPAnswer(packet.bytes, nonce: 7, sent: 10_000_000, received: 20_000_000, drift: 0)
    #expect(abs(answer.sample.best - (start - 15_000_000)) <= 1000)
    // Half the round trip, 1/512 s of half delay and 1/128 s of dispersion, and 1 µs of precision.
    let distance = (256 / 2 + 512) * second / 65_536
    #expect(abs(answer.sample.error - (5_000_000 + distance)) < 3000)
    #expect(answer.stratum == 2)
  }

  @Test("leap warnings are passed on")
  func leap() throws {
    for leap in 0...2 as ClosedRange<UInt8> {
      var packet = answer(at: start, nonce: 7)
      packet.leap = leap
      #expect(try NTPAnswer(packet.bytes, nonce: 7, sent: 0, received: 10_000).leap == leap)
    }
  }

  @Test("answers after the rollover of 2036 are ordinary")
  func rollover() throws {
    let time = 2_085_978_496 * second + 5
    let packet = answer(at: time, nonce: 7)
    let answer = try NTPAnswer(packet.bytes, nonce: 7, sent: 0, received: 10_000, drift: 0)
    #expect(abs(answer.sample.best - time) < 10_000)
  }

  @Test("what is not the server's answer to this question is refused, and the true answer may still come")
  func maybeForged() {
    #expect(refusal { $0.origin = NTPTimestamp(bits: 8) } == .origin)
    #expect(refusal { $0.origin = NTPTimestamp(bits: 0) } == .origin)
    #expect(refusal { $0.mode = NTPPacket.Mode.client } == .mode(3))
    #expect(refusal { $0.mode = 5 } == .mode(5))
    #expect(refusal { $0.version = 2 } == .version(2))
    #expect(refusal { $0.origin = NTPTimestamp(bits: 8) }?.isMaybeForged == true)
    #expect(throws: NTPAnswer.Refusal.short(12)) {
      try NTPAnswer([UInt8](repeating: 0, count: 12), nonce: 7, sent: 0, received: 1)
    }
  }

  @Test("a server that is not synchronised is refused, whatever stratum it claims")
  func unsynchronised() {
    #expect(refusal { $0.leap = 3 } == .unsynchronised)
    #expect(refusal { $0.stratum = 16 } == .stratum(16))
    #expect(refusal { $0.stratum = 255 } == .stratum(255))
    #expect(refusal { $0.rootDispersion = 16 << 16 } == .unsynchronised)
    #expect(refusal { $0.rootDelay = .max } == .unsynchronised)
  }

  @Test("times that can't be are refused")
  func impossible() {
    let changes: [(inout NTPPacket) -> Void] = [
      { $0.transmit = NTPTimestamp(bits: 0) },
      { $0.receive = NTPTimestamp(bits: 0) },
      { $0.transmit = NTPTimestamp(unixNanoseconds: self.start - 1) },
      { $0.reference = NTPTimestamp(unixNanoseconds: self.start + 2 * self.second) },
      { $0.transmit = NTPTimestamp(unixNanoseconds: self.start + self.second) },
    ]
    for (index, change) in changes.enumerated() {
      guard case .impossible = refusal(change) else {
        Issue.record("change \(index) was taken, or refused for another reason")
        continue
      }
    }
  }

  @Test("a kiss-o'-death is told by its letters, and only if it answers this question")
  func kiss() {
    let letters = { (packet: inout NTPPacket, code: String) in
      packet.stratum = 0
      packet.leap = 3
      packet.referenceID = code.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
    for code in ["DENY", "RSTR", "RATE", "INIT"] {
      #expect(refusal { letters(&$0, code) } == .kiss(code))
    }
    let forged = refusal {
      letters(&$0, "DENY")
      $0.origin = NTPTimestamp(bits: 9)
    }
    #expect(forged == .origin)
    #expect(
      refusal {
        $0.stratum = 0; $0.referenceID = 0
      } == .kiss(""))
  }

  @Test("no bytes whatever make it trap")
  func noise() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<50_000 {
      var bytes = (0..<Int.random(in: 40...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // Past the first checks, so that the later ones meet it.
      bytes[0] = bytes[0] & 0xC0 | 0x24
      let nonce = NTPPacket(bytes)?.origin.bits ?? 0
      let sent = Int64.random(in: 0...(1 << 61), using: &random)
      _ = try? NTPAnswer(bytes, nonce: nonce, sent: sent, received: sent + 1_000_000)
    }
  }
}
