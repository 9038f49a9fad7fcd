// An async main whose first line gives the main thread to the loop: AsyncMain <returns|stopped|throws>
import Foundation
import WakeLoop

@main
struct AsyncMain {
  @MainActor
  static func main() async throws {
    guard Loop.main.installAsMainExecutor() else { fail("this runtime lacks the hooks") }
    alarm(60)
    try await AsyncMainBody.run(CommandLine.arguments.last ?? "")
  }
}
