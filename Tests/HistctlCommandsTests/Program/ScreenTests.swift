import TestSupport
import Testing

/// The tests' own reading of a terminal, which other tests rely on.
@Suite(.bounded, .enabled(if: Tool.hasTerminals && Tool("bash") != nil)) struct ScreenTests {
  @Test func `erased text is not shown`() async throws {
    let bash = try #require(Tool("bash"))
    let line = [
      "--norc", "-c", #"printf '\rcopying: 1 MiB\033[K\rcopying: 2\033[K\r\033[Kdone\nab\rc\r\n'"#,
    ]
    let all = try await bash.runOnTerminal(line, showsProgress: true)
    #expect(all.screen == "done\ncb\n")
    #expect(all.text.contains("copying"))
    // What is no drawing stays to the byte.
    #expect(try await bash.runOnTerminal(line).text == "done\nab\rc\r\n")
  }
}
