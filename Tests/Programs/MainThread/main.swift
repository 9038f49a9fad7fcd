// Scenarios that need the process's real main thread, run one at a time by the tests:
// MainThread <scenario> <queue|installed>, or MainThread fallback <missing|misunderstood>
import Foundation
import WakeLoop

limitTime()
let scenario = CommandLine.arguments.dropFirst().first ?? ""
let isInstalled = CommandLine.arguments.last == "installed"
if isInstalled {
  check(Loop.main.installAsMainExecutor(), "this runtime lacks the hooks")
  check(Loop.main.installAsMainExecutor(), "installing a second time fails")
}

switch scenario {
case "hops": manyHops()
case "order": orderInOnePass(isInstalled: isInstalled)
case "nested": nestedRuns(isInstalled: isInstalled)
case "nestedHops": nestedHops()
case "services": services()
case "modes": modesServed()
case "body": bodies()
case "isolation": isolation()
case "slices": slices()
case "taken": takenByDispatch()
case "takenTask": taskAfterTaken()
case "fallback": fallback(isMissing: CommandLine.arguments.last == "missing")
default: check(false, "there is no scenario \(scenario)")
}
print("ok")
