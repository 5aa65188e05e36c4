import Foundation
import TestSupport
import Testing

/// The completion of fish, asked through fish itself.
@Suite(.enabled(if: Tool("fish") != nil))
struct FishCompletionTests {
  /// What fish offers for a line, with its notes.
  private static func complete(
    _ line: String, in folder: TemporaryFolder
  ) async throws -> [String] {
    let fish = try #require(Tool("fish"))
    let result = try await fish.run(
      [
        "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
        Manual.path("completions/histctl.fish"), line,
      ],
      environment: [
        "PATH": Manual.searchPath, "HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
      ],
      folder: folder.path)
    #expect(result.errors == "")
    #expect(try !folder.names().contains("pwned"))
    return result.lines
  }

  private static func values(_ lines: [String]) -> [String] {
    lines.map { line in line.prefix { $0 != "\t" } }.map(String.init)
  }

  @Test(arguments: [
    (
      "histctl ",
      [
        "archive", "bookmark", "check", "compact", "demo", "diff", "export", "info", "log",
        "maintain",
        "object", "prune",
        "rehearse", "restore", "show", "stats", "token", "verify",
      ]
    ),
    ("histctl token ", ["check", "show"]),
    ("histctl bookmark ", ["check", "list", "remove", "set"]),
    ("histctl token check --d", ["--date"]),
    ("histctl log --date ", ["local", "raw", "relative", "utc"]),
    ("histctl log --date=u", ["--date=utc"]),
    ("histctl log x.store --kind ", ["delete", "insert", "update"]),
    ("histctl log --busy-timeout ", []),
    ("histctl log x.store ", []),
  ])
  func `words of the command line`(_ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    #expect(Self.values(try await Self.complete(line, in: folder)).sorted() == words)
  }

  @Test func `folders alone where a folder is asked for`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    try FileManager.default.createDirectory(
      atPath: folder.file("my folder"), withIntermediateDirectories: false)
    #expect(
      Self.values(try await Self.complete("histctl demo my", in: folder)) == ["my folder/"])
  }

  @Test(arguments: [
    #"histctl log my\ store.store --author "#, #"histctl log "my store.store" --author "#,
    #"histctl log --reverse -n 5 my\ store.store -q --not-author "#,
    #"histctl log ~/my\ store.store --author "#,
  ])
  func `authors arrive as they are stored`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(
      Self.values(try await Self.complete(line, in: folder)).sorted() == CompletionStore.authors)
  }

  @Test(arguments: [
    ("histctl show my\\ store.store @w", ["@widget\tbookmark at 3"]),
    ("histctl log my\\ store.store --after fi", ["first\tthe oldest transaction"]),
    ("histctl token check my\\ store.store last 15", [#"15 2024-07-29 00:56:40 new\nline"#]),
    ("histctl log missing.store --author ", []), ("histctl log --author ", []),
  ])
  func `values of the store`(_ line: String, _ lines: [String]) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let found = try await Self.complete(line, in: folder)
    #expect(
      found.map { $0.replacingOccurrences(of: "\t", with: " ") }
        == lines.map { $0.replacingOccurrences(of: "\t", with: " ") })
  }

  @Test(arguments: ["histctl log my", "histctl log --bookmark-file my"])
  func `files`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(Self.values(try await Self.complete(line, in: folder)).contains("my store.store"))
  }
}
