import Foundation
import TestSupport
import Testing

/// The completion of zsh, with stubs for what zsh offers inside its line editor only.
@Suite(.enabled(if: Tool("zsh") != nil))
struct ZshCompletionTests {
  /// The values handed to zsh, a line each, or after `-d` what it shows for them.
  private static func complete(
    _ line: String, in folder: TemporaryFolder, showing: Bool = false
  ) async throws -> [String] {
    let script = #"""
      source $1
      compadd() {
        local -a shown=() given=()
        while (( $# )); do
          case $1 in
            (-d) shown=("${(@P)2}"); shift 2 ;;
            (-a) given=("${(@P)2}"); shift 2 ;;
            (-V) shift 2 ;;
            (-l) shift ;;
            (*) print -r "unknown argument $1"; return 1 ;;
          esac
        done
        local i
        for (( i = 1; i <= $#given; i++ )); do
          if [[ $given[i] == ${(Q)PREFIX}* ]]; then
            if [[ $show == 1 ]]; then print -r -- ${shown[i]}; else print -r -- "${given[i]}"; fi
          fi
        done
      }
      compset() { IPREFIX=${PREFIX%%=*}=; PREFIX=${PREFIX#*=} }
      _files() { print -r -- "files $*" }
      show=$3
      words=("${(@z)2}")
      if [[ $2 == *' ' ]]; then words+=(''); fi
      CURRENT=${words[(ie)|]}
      if (( CURRENT > $#words )); then CURRENT=$#words; else words[CURRENT]=''; fi
      PREFIX=$words[CURRENT]
      _histctl
      """#
    let zsh = try #require(Tool("zsh"))
    let result = try await zsh.run(
      [
        "-f", "-c", script, "zsh", Manual.path("completions/_histctl"), line, showing ? "1" : "0",
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
    ("histctl token ", ["check", "show"]),
    ("histctl token check --d", ["--date"]),
    ("histctl log --date ", ["local", "utc", "relative", "raw"]),
    ("histctl log --date=r", ["relative", "raw"]),
    ("histctl log x.store --kind ", ["insert", "update", "delete"]),
    ("histctl log --busy-timeout ", []),
    ("histctl nothing ", []),
    ("histctl log ", ["files "]),
    ("histctl log --bookmark-file=", ["files "]),
    ("histctl demo ", ["files -/"]),
  ])
  func `words of the command line`(_ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    #expect(try await Self.complete(line, in: folder) == words)
  }

  @Test(arguments: [
    #"histctl log my\ store.store --author "#, #"histctl log "my store.store" --author "#,
    "histctl log 'my store.store' --author=", #"histctl log --author | my\ store.store"#,
    #"histctl log --reverse -n 5 my\ store.store -q --not-author "#,
    #"histctl log ~/my\ store.store --author "#,
  ])
  func `authors arrive as they are stored`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(try await Self.complete(line, in: folder) == CompletionStore.authors)
  }

  @Test(arguments: [
    ("histctl show my\\ store.store @w", "@widget"),
    ("histctl log my\\ store.store --after fi", "first"),
    ("histctl token check my\\ store.store last ye", "yesterday"),
    ("histctl bookmark remove my\\ store.store wi", "widget"),
    ("histctl log my\\ store.store --entity Buck", "BucketListItem"),
    ("histctl log my\\ store.store --attribute isF", "isFavorite"),
    ("histctl log missing.store --author ", nil), ("histctl log --author ", nil),
  ])
  func `values of the store`(_ line: String, _ word: String?) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(try await Self.complete(line, in: folder) == (word.map { [$0] } ?? []))
  }

  @Test func `tokens are shown with time and author`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let shown = try await Self.complete(
      #"histctl show my\ store.store "#, in: folder, showing: true)
    #expect(shown.contains("@widget  -- bookmark at 3"))
    #expect(shown.contains("last  -- the newest transaction"))
    #expect(shown.contains("2  -- 2024-07-29 00:43:40 %F{red}"))
    #expect(shown.contains(#"15  -- 2024-07-29 00:56:40 new\nline"#))
  }

  @Test func `compinit finds the function`() async throws {
    let folder = try TemporaryFolder()
    let zsh = try #require(Tool("zsh"))
    let result = try await zsh.run(
      [
        "-f", "-c",
        #"fpath=($1 $fpath); autoload -Uz compinit; compinit -D -u; print -r -- $_comps[histctl]"#,
        "zsh", Manual.path("completions"),
      ], environment: ["HOME": folder.path], folder: folder.path)
    #expect(result.text == "_histctl\n")
  }
}
