import TestSupport
import Testing

@Suite struct UnknownCommandTests {
  @Test("A word that is no command is named, with the commands that there are")
  func mistyped() async throws {
    let result = try await Tool.histctl.run(["lgo", "sample.store"])
    #expect(result.status == 64)
    #expect(
      result.errors == """
        histctl: no command named 'lgo'
        hint: the commands are info, log, show, diff, object, export, stats, archive, prune, compact, maintain, check, token, bookmark, rehearse, demo

        """)
  }

  @Test("So is one below a command, and with --json it is JSON")
  func mistypedBelow() async throws {
    let result = try await Tool.histctl.run(["token", "chek", "sample.store", "--json"])
    #expect(result.status == 64)
    #expect(result.errors.contains(#""kind":"usage""#))
    #expect(result.errors.contains(#""message":"no command named 'chek'""#))
    #expect(result.errors.contains("check, show"))
  }
}
