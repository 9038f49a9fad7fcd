// The code of the article on server time, compiled. Each part between "snippet" and "end" is there to the letter.

import Foundation
import WakeLoop

enum ServerTimeSnippets {
  static func firstLook(loop: Loop, saleBegins: Date) throws {
    // snippet
    let clock = ServerClock(on: loop)
    clock.add(SNTPSource(try ServerClock.Endpoint("192.0.2.1", port: 123)))
    clock.schedule(at: saleBegins) { _ in print("open") }
    clock.onSample = { clock, _ in
      guard let reading = clock.reading, let error = clock.localError else { return }
      print("it is \(reading.date), give or take \(reading.errorBound); the local clock is \(error) ahead")
    }
    // end
  }

  static func countdown(clock: ServerClock, loop: Loop, saleBegins: Date) {
    // snippet
    if let serverTime = clock.countdownClock {
      Countdown(until: saleBegins, clock: serverTime, on: loop) { reading in
        print("opens in \(reading.text())")
      } onFinish: {
        print("open")
      }.start()
    }
    // end
  }

  static func byHand(clock: ServerClock, askServer: (@escaping (Date) -> Void) -> Void) {
    // snippet
    let question = clock.question()
    askServer { date in
      clock.take(date, inAnswerTo: question)
    }
    // end
  }

  static func resolver(
    clock: ServerClock, resolve: @escaping (String, @escaping ([String]) -> Void) -> Void
  ) {
    // snippet
    let source = SNTPSource { found in
      resolve("time.example") { addresses in
        found(addresses.compactMap { try? ServerClock.Endpoint($0, port: 123) })
      }
    }
    // end
    clock.add(source)
  }
}
