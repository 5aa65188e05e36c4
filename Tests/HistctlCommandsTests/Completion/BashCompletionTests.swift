import Foundation
import TestSupport
import Testing

/// The completion of bash, called as bash calls it.
@Suite(.bounded, .enabled(if: Tool("bash") != nil))
struct BashCompletionTests {
  /// Returns the completions of the last word, or of the empty word where `|` is.
  ///
  /// Words are separated by single spaces; a space in a word is escaped.
  private static func complete(
    _ line: String, in folder: TemporaryFolder
  ) async throws -> [String] {
    let script = #"""
      source "$1"
      cursor=$2
      shift 2
      COMP_WORDS=("$@") COMP_CWORD=$cursor COMP_LINE="$*"
      before="${*:1:cursor+1}"
      COMP_POINT=${#before}
      _histctl histctl "${COMP_WORDS[cursor]}" "${COMP_WORDS[cursor-1]}"
      printf '%s\n' "${COMPREPLY[@]}"
      """#
    var words = line.replacing("\\ ", with: "\u{1}").split(
      separator: " ", omittingEmptySubsequences: false
    ).map { String($0).replacing("\u{1}", with: "\\ ") }
    let cursor = words.firstIndex(of: "|") ?? words.count - 1
    if words[cursor] == "|" { words[cursor] = "" }
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      [
        "--norc", "-c", script, "bash", Manual.path("completions/histctl.bash"), "\(cursor)",
      ] + words,
      environment: ["PATH": Manual.searchPath, "HOME": folder.path], folder: folder.path)
    #expect(result.errors == "")
    #expect(try !folder.names().contains("pwned"))
    return result.lines.filter { !$0.isEmpty }
  }

  @Test(arguments: [
    ("histctl to", ["token"]),
    ("histctl token check --d", ["--date"]),
    ("histctl log --date ", ["local", "utc", "relative", "raw"]),
    ("histctl log --date r", ["relative", "raw"]),
    ("histctl log x.store --kind ", ["insert", "update", "delete"]),
    ("histctl token show x.store last --as p", ["portable", "plist"]),
    ("histctl log --busy-timeout ", []), ("histctl log -- --d", []),
    ("histctl diff x.store --e", ["--each", "--entity", "--exact-entity", "--exit-code"]),
  ])
  func `options and their values are completed`(_ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    let found = try await Self.complete(line, in: folder)
    #expect(found.sorted() == words.sorted(), "\(found)")
  }

  @Test(arguments: [("histctl ", "log"), ("histctl token ", "show"), ("histctl bookmark ", "set")])
  func `commands are completed`(_ line: String, _ word: String) async throws {
    let folder = try TemporaryFolder()
    let words = try await Self.complete(line, in: folder)
    #expect(words.contains(word) && !words.contains("dump-exit-statuses"))
  }

  @Test(arguments: [
    #"histctl log my\ store.store --author "#, "histctl log --author | my\\ store.store",
    #"histctl log --reverse -n 5 my\ store.store -q --not-author "#,
    #"histctl log ~/my\ store.store --author "#,
  ])
  func `authors are completed as stored`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let found = try await Self.complete(line, in: folder)
    #expect(found == CompletionStore.authors, "\(found)")
  }

  @Test(arguments: [
    ("histctl show my\\ store.store @w", "@widget"),
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
    ("histctl log missing.store --author ", nil), ("histctl log --author ", nil),
  ])
  func `values of the store are completed`(_ line: String, _ word: String?) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(try await Self.complete(line, in: folder) == (word.map { [$0] } ?? []))
  }

  @Test(arguments: ["histctl log my", "histctl info ", "histctl log --bookmark-file my"])
  func `files are completed`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(try await Self.complete(line, in: folder).contains("my store.store"))
  }

  @Test func `commands after help are completed`() async throws {
    let folder = try TemporaryFolder()
    #expect(try await Self.complete("histctl help sna", in: folder) == ["snapshot"])
    #expect(try await Self.complete("histctl help token ch", in: folder) == [])
  }

  @Test func `files beside a store are not completed as stores`() async throws {
    let folder = try TemporaryFolder()
    for ending in ["", "-wal", "-shm", "-values.db", "-bookmarks.json"] {
      try FileBytes.write([], to: folder.file("x.store" + ending))
    }
    for line in ["histctl info x", "histctl check y.store x", "histctl diff y.store --with x"] {
      #expect(try await Self.complete(line, in: folder) == ["x.store"], "\(line)")
    }
    #expect(
      try await Self.complete("histctl info y --values-file x.store-v", in: folder)
        == ["x.store-values.db"])
  }

  @Test func `attributes of the object's entity are completed`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let all = try await Self.complete(#"histctl log my\ store.store --attribute "#, in: folder)
    for line in [
      #"histctl log my\ store.store --object Trip/p23 --attribute "#,
      #"histctl blame my\ store.store Trip/p23 --attribute "#,
    ] {
      let found = try await Self.complete(line, in: folder)
      #expect(Set(found).isStrictSubset(of: all) && found.contains("name"), "\(found)")
    }
  }

  @Test func `only folders are completed for a folder`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    try FileManager.default.createDirectory(
      atPath: folder.file("my folder"), withIntermediateDirectories: false)
    #expect(try await Self.complete("histctl demo my", in: folder) == ["my folder"])
  }
}
