import LoopCore
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
  @Test("all three spellings of a date are understood")
  func spellings() {
    #expect(HTTPDate.unixSeconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.unixSeconds("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.unixSeconds("Sun Nov  6 08:49:37 1994") == 784_111_777)
    #expect(HTTPDate.unixSeconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.unixSeconds("Tue, 29 Feb 2028 23:59:60 GMT") == 1_835_481_600)
    #expect(HTTPDate.unixSeconds("Sunday, 06-Nov-25 00:00:00 GMT") == 1_762_387_200)
  }

  @Test(
    "what is no date is refused",
    arguments: [
      "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 29 Feb 2100 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
      "Foo, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    ])
  func refused(_ text: String) {
    #expect(HTTPDate.unixSeconds(text) == nil)
  }

  @Test("every day from 1970 to 2100 has the number of its place in the row")
  func everyDay() {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var number: Int64 = 0
    for year in 1970...2100 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (month, length) in zip(months, lengths) {
        for day in 1...length {
          let text = "Mon, \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:01 GMT"
          if HTTPDate.unixSeconds(text) != number * 86_400 + 1 { Issue.record("\(text)") }
          number += 1
        }
      }
    }
  }

  private func read(_ text: String) throws(HTTPDateAnswer.Refusal) -> HTTPDateAnswer? {
    try HTTPDateAnswer.read(Array(text.utf8))
  }

  @Test("the date is found in a head that comes byte by byte")
  func byteByByte() throws {
    let head = "HTTP/1.1 200 OK\r\nServer: x\r\ndate:  Sun, 06 Nov 1994 08:49:37 GMT \r\nAge: 0\r\n\r\nbody"
    let bytes = Array(head.utf8)
    let complete = bytes.count - 4
    for count in 0..<complete {
      #expect(try HTTPDateAnswer.read(Array(bytes[..<count])) == nil, "\(count) bytes")
    }
    #expect(try HTTPDateAnswer.read(Array(bytes[..<complete]))?.unixSeconds == 784_111_777)
    #expect(try HTTPDateAnswer.read(bytes)?.unixSeconds == 784_111_777)
  }

  @Test("a redirection or a page not found tells the time as well; an interim response is passed over")
  func otherStatuses() throws {
    let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"
    #expect(try read("HTTP/1.1 301 Moved\r\n" + date)?.unixSeconds == 784_111_777)
    #expect(try read("HTTP/1.0 404 Not Found\n" + date)?.unixSeconds == 784_111_777)
    #expect(try read("HTTP/1.1 100 Continue\r\n\r\n") == nil)
    #expect(
      try read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n" + date)?.unixSeconds == 784_111_777)
  }

  @Test("what is no answer is refused with the reason")
  func refusals() {
    #expect(throws: HTTPDateAnswer.Refusal.notHTTP) { try read("SSH-2.0-OpenSSH") }
    #expect(throws: HTTPDateAnswer.Refusal.notHTTP) { try read("HTTP/1.1 xyz\r\n\r\n") }
    #expect(throws: HTTPDateAnswer.Refusal.notHTTP) { try read("HTTP/1.1 200 OK\r\nno colon\r\n\r\n") }
    #expect(throws: HTTPDateAnswer.Refusal.noDate) { try read("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n") }
    #expect(throws: HTTPDateAnswer.Refusal.badDate("soon")) {
      try read("HTTP/1.1 200 OK\r\nDate: soon\r\n\r\n")
    }
    #expect(throws: HTTPDateAnswer.Refusal.status(503)) { try read("HTTP/1.1 503 No\r\n\r\n") }
    #expect(throws: HTTPDateAnswer.Refusal.cached("42")) {
      try read("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nAge: 42\r\n\r\n")
    }
    #expect(throws: HTTPDateAnswer.Refusal.tooLong) {
      try read("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000))
    }
  }

  @Test("the second that a date names is bounded by half a second either way")
  func sample() throws {
    let answer = try #require(
      try read("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"))
    let sample = try #require(answer.sample(sent: 1_000_000, received: 3_000_000, drift: 0))
    #expect(sample.best == 784_111_777_500_000_000 - 2_000_000)
    #expect(sample.error == 501_000_000)
  }
}
