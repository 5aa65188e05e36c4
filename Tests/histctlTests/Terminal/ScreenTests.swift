import TestSupport
import Testing

/// The tests' own reading of a terminal, which other tests rely on.
@Suite(.enabled(if: Tool.hasTerminals && Tool("bash") != nil)) struct ScreenTests {
  @Test func whatWasWipedAwayIsNotSeen() async throws {
    let bash = try #require(Tool("bash"))
    let result = try await bash.runOnTerminal([
      "--norc", "-c", #"printf '\rcopying: 1 MiB\033[K\rcopying: 2\033[K\r\033[Kdone\nab\rc\n'"#,
    ])
    #expect(result.screen == "done\ncb\n")
    #expect(result.text != result.screen)
  }
}
