// An async main that knows nothing of the loop but is linked with WakeLoopMain: LinkedMain <returns|stopped|throws>
import Foundation

@main
struct LinkedMain {
  @MainActor
  static func main() async throws {
    alarm(60)
    try await AsyncMainBody.run(CommandLine.arguments.last ?? "")
  }
}
