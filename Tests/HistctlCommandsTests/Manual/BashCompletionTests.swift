import Foundation
import TestSupport
import Testing

/// The completion of bash, called as bash calls it.
@Suite(.enabled(if: Tool("bash") != nil))
struct BashCompletionTests {
  /// What bash would insert for a line with the cursor at its end, or where `|` stands.
  private static func complete(
    _ line: String, in folder: TemporaryFolder, quote: String = "", raw: Bool = false
  ) async throws -> [String] {
    // Each reply is read back by bash, in the quotes that are open, so what is compared is what the
    // command would get.
    let script = #"""
      source "$1"
      COMP_WORDS=() COMP_CWORD=0 COMP_LINE=${2/|/}
      before=${2%%|*}
      COMP_POINT=${#before}
      _histctl
      for reply in "${COMPREPLY[@]}"; do
        word=$reply
        if [[ $4 == read ]]; then eval "word=$3$reply$3"; fi
        printf '%s\n' "$word"
      done
      """#
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      [
        "--norc", "-c", script, "bash", Manual.path("completions/histctl.bash"), line, quote,
        raw ? "raw" : "read",
      ], environment: ["PATH": Manual.searchPath, "HOME": folder.path], folder: folder.path)
    #expect(result.errors == "")
    #expect(try !folder.names().contains("pwned"))
    return result.lines
  }

  @Test(arguments: [
    (
      "histctl ",
      [
        "info", "log", "show", "diff", "object", "export", "stats", "archive", "prune",
        "restore", "compact",
        "maintain", "check", "verify", "token", "bookmark", "rehearse", "demo",
      ]
    ),
    ("histctl to", ["token"]),
    ("histctl token ", ["check", "show"]),
    ("histctl bookmark ", ["set", "list", "check", "remove"]),
    ("histctl token check --d", ["--date"]),
    ("histctl log --date ", ["local", "utc", "relative", "raw"]),
    ("histctl log --date r", ["relative", "raw"]),
    ("histctl log --date=u", ["utc"]),
    ("histctl log x.store --kind ", ["insert", "update", "delete"]),
    ("histctl token show x.store last --as p", ["portable", "plist"]),
    ("histctl log --busy-timeout ", []),
    ("histctl log -- --d", []),
    ("histctl nothing ", []),
    (
      "histctl --version ",
      [
        "info", "log", "show", "diff", "object", "export", "stats", "archive", "prune",
        "restore", "compact",
        "maintain", "check", "verify", "token", "bookmark", "rehearse", "demo",
      ]
    ),
    ("histctl diff x.store --e", ["--entity", "--exact-entity", "--each", "--exit-code"]),
  ])
  func `words of the command line`(_ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    #expect(try await Self.complete(line, in: folder).filter { !$0.isEmpty } == words)
  }

  @Test(arguments: [
    (#"histctl log my\ store.store --author "#, ""),
    (#"histctl log "my store.store" --author "#, ""),
    ("histctl log 'my store.store' --author=", ""), ("histctl log --author | my\\ store.store", ""),
    (#"histctl log --reverse -n 5 my\ store.store -q --not-author "#, ""),
    (#"histctl log ~/my\ store.store --author "#, ""),
    (#"histctl log my\ store.store --author ""#, "\""),
    (#"histctl log my\ store.store --author '"#, "'"),
  ])
  func `authors arrive as they are stored`(_ line: String, _ quote: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(
      try await Self.complete(line, in: folder, quote: quote) == CompletionStore.authors)
  }

  @Test(arguments: [
    // bash leaves alone what stands before the last of the signs that break words for it.
    ("histctl log my\\ store.store --author com:c", "colon=eq"),
    ("histctl log my\\ store.store --author=com:colon=", "eq"),
    ("histctl log my\\ store.store --author \\~t", "~tilde"),
    ("histctl log my\\ store.store --author it\\'", "it's"),
    ("histctl log my\\ store.store --author two\\ ", "two  blanks "),
    ("histctl show my\\ store.store @w", "widget"),
    ("histctl log my\\ store.store --bookmark-file nothing --after @w", nil),
    ("histctl log my\\ store.store --after fi", "first"),
    ("histctl token check my\\ store.store last ye", "yesterday"),
    ("histctl bookmark remove my\\ store.store wi", "widget"),
    ("histctl diff my\\ store.store first la", "last"),
    ("histctl log my\\ store.store --entity Buck", "BucketListItem"),
    ("histctl log my\\ store.store --attribute isF", "isFavorite"),
    ("histctl log my\\ store.store --bundle ", "com.example.Trips"),
    ("histctl log my\\ store.store --process ", "Trips"),
    ("histctl log my\\ store.store --object Trip/p23", "Trip/p23"),
    ("histctl object my\\ store.store Trip/p23", "Trip/p23"),
    ("histctl log missing.store --author ", nil),
    ("histctl log --author ", nil),
  ])
  func `values of the store`(_ line: String, _ word: String?) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(try await Self.complete(line, in: folder) == (word.map { [$0] } ?? []))
  }

  @Test func `an author that ends like its quotes has them closed`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let replies = try await Self.complete(
      #"histctl log my\ store.store --author "say"#, in: folder, raw: true)
    #expect(replies == [#"say \"hi\"""#])
  }

  @Test(arguments: ["histctl log my", "histctl info ", "histctl log --bookmark-file my"])
  func `files`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let files = try await Self.complete(line, in: folder)
    #expect(files.contains("my store.store"))
  }

  @Test func `folders alone where a folder is asked for`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    try FileManager.default.createDirectory(
      atPath: folder.file("my folder"), withIntermediateDirectories: false)
    #expect(try await Self.complete("histctl demo my", in: folder) == ["my folder"])
  }

  @Test func `a shell without COMP_LINE is served too`() async throws {
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      [
        "--norc", "-c",
        #"""
        source "$1"
        COMP_WORDS=(histctl log --date "") COMP_CWORD=3
        _histctl
        echo ${COMPREPLY[*]}
        """#,
        "bash", Manual.path("completions/histctl.bash"),
      ])
    #expect(result.text == "local utc relative raw\n")
  }

  @Test func `the script does not mind a strict shell`() async throws {
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      [
        "--norc", "-eu", "-c",
        #"source "$1"; COMP_LINE="histctl log --da" COMP_POINT=16; _histctl; echo ${COMPREPLY[*]}"#,
        "bash", Manual.path("completions/histctl.bash"),
      ])
    #expect(result.errors == "")
    #expect(result.text == "--date\n")
  }
}
