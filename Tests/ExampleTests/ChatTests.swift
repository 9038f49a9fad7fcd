import Foundation
import Glibc
import Testing

@Suite("The chat server", .serialized)
struct ChatTests {
  /// Starts a chat at a port of the system's choice and returns that port.
  private func open(idleSeconds: Double) throws -> (ExampleProcess, UInt16) {
    let chat = try ExampleProcess("Chat", arguments: ["0", "\(idleSeconds)"])
    let line = try #require(chat.nextLine())
    let port = try #require(line.split(separator: " ").last.flatMap { UInt16($0) }, "\(line)")
    return (chat, port)
  }

  @Test("what one guest says, the others hear and the speaker does not")
  func talk() throws {
    let (chat, port) = try open(idleSeconds: 600)
    let anna = try ChatClient(port: port)
    #expect(anna.nextLine() == "Welcome, guest 1.")
    let bert = try ChatClient(port: port)
    #expect(bert.nextLine() == "Welcome, guest 2.")
    #expect(anna.nextLine() == "guest 2 has come")
    anna.say("is anybody here?")
    #expect(bert.nextLine() == "guest 1: is anybody here?")
    bert.say("yes")
    #expect(anna.nextLine() == "guest 2: yes")
    chat.send(SIGKILL)
    #expect(chat.waitForEnd() == .killed(SIGKILL))
  }

  @Test("a guest who leaves is announced to the others")
  func leaving() throws {
    let (chat, port) = try open(idleSeconds: 600)
    let anna = try ChatClient(port: port)
    #expect(anna.nextLine() == "Welcome, guest 1.")
    do {
      let bert = try ChatClient(port: port)
      #expect(bert.nextLine() == "Welcome, guest 2.")
    }
    #expect(anna.nextLine() == "guest 2 has come")
    #expect(anna.nextLine() == "guest 2 left")
    withExtendedLifetime(chat) {}
  }

  @Test("who is silent for too long is told so and let go")
  func idle() throws {
    let (chat, port) = try open(idleSeconds: 0.1)
    let anna = try ChatClient(port: port)
    #expect(anna.nextLine() == "Welcome, guest 1.")
    #expect(anna.nextLine() == "You were silent for too long.")
    #expect(anna.nextLine() == nil)
    withExtendedLifetime(chat) {}
  }

  @Test("an interrupt or a termination ends it gracefully", arguments: [SIGINT, SIGTERM])
  func gracefulEnd(signal: Int32) throws {
    let (chat, port) = try open(idleSeconds: 600)
    let anna = try ChatClient(port: port)
    #expect(anna.nextLine() == "Welcome, guest 1.")
    chat.send(signal)
    #expect(anna.nextLine() == "The chat is closing. Goodbye.")
    #expect(anna.nextLine() == nil)
    #expect(chat.remainingLines().last == "the chat is closed")
    #expect(chat.waitForEnd() == .exited(0))
  }
}
