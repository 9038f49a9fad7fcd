// The code of the article on time, compiled. Each part between "snippet" and "end" is there to the letter.

import Foundation
import WakeLoop

private final class Button {
  var title = ""
}

enum TimeSnippets {
  static func alarm(loop: Loop) {
    // snippet
    let everyMorning = DateComponents(hour: 7, minute: 30)
    let calendar = Calendar.current
    loop.schedule(next: { after in
      calendar.nextDate(after: after, matching: everyMorning, matchingPolicy: .nextTime)
    }) { pass in
      print("good morning, it is \(pass.date)")
    }
    // end
  }

  static func countdown(loop: Loop) {
    let button = Button()
    // snippet
    let countdown = Countdown(
      .seconds(60), on: loop,
      onTick: { reading in button.title = "Again in \(reading.text(.seconds))" },
      onFinish: { button.title = "Send again" })
    countdown.start()
    // end
  }
}
