// Foundation's main run loop hosted in ours, one scenario at a time: FoundationGuest <scenario> [dates]
//
// With "dates" the guest does without Foundation's descriptors.
import Foundation
import WakeLoop
import WakeLoopFoundation

alarm(120)
let scenario = CommandLine.arguments.dropFirst().first ?? ""
if CommandLine.arguments.last == "dates" {
  FoundationGuest.looksForDescriptors = false
  Loop.onReport = { report in check(report.kind == .fallback, "reported \(report)") }
} else {
  Loop.onReport = { report in check(false, "reported \(report)") }
}

switch scenario {
case "timers": timers()
case "performs": performs()
case "idle": idle()
case "lateComers": lateComers()
case "posts": posts()
case "ended": ended()
case "modes": modes()
case "nested": nested()
case "bodies": bodies()
case "limits": limits()
default: check(false, "there is no scenario \(scenario)")
}
print("ok")
