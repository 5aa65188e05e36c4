import Foundation
import TestSupport
import Testing

/// The completion of zsh, asked through an interactive zsh.
@Suite(.bounded, .enabled(if: Tool("zsh") != nil))
struct ZshCompletionTests {
  /// Runs in the interactive shell: prints each value as the program receives it, and after a tab what
  /// zsh shows for it.
  private static let setup = #"""
    PROMPT= RPROMPT=
    fpath=($COMPLETIONS $fpath)
    autoload -Uz compinit
    compinit -D -u
    bindkey '^I' complete-word
    null-line() { print -r -- $'\0' }
    compprefuncs=(null-line)
    comppostfuncs=(null-line exit)
    zstyle ':completion:*' insert-tab false
    zstyle ':completion:*' list-grouped false
    compadd() {
      if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
      local -a hits shown
      local names i
      if (( $@[(I)-d] )); then
        names=${@[$[${@[(i)-d]}+1]]}
        if [[ $names == \(* ]]; then eval "shown=$names"; else shown=("${(@P)names}"); fi
      fi
      builtin compadd -A hits -D shown "$@"
      for (( i = 1; i <= $#hits; i++ )); do print -r -- "${(Q)hits[i]}"$'\t'"$shown[i]"; done
    }
    print READY
    """#

  /// Types a line and a tab in an interactive shell, and prints what is between the marks.
  private static let driver = #"""
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z "source $1"
    zpty -r z line '*READY*'
    zpty -w z "$2"$'\t'
    integer marks=0
    while zpty -r z line; do
      line=${line%$'\r\n'}
      if [[ $line == *$'\0'* ]]; then (( marks++ )) && break; continue; fi
      (( marks )) && print -r -- "$line"
    done
    zpty -d z
    """#

  /// Returns the values that zsh offers for a line, or what it shows for them.
  private static func complete(
    _ line: String, in folder: TemporaryFolder, showing: Bool = false
  ) async throws -> [String] {
    try FileBytes.write(Array(setup.utf8), to: folder.file(".setup"))
    let zsh = try #require(Tool("zsh"))
    let result = try await zsh.run(
      ["-f", "-c", driver, "zsh", folder.file(".setup"), line],
      environment: [
        "PATH": Manual.searchPath, "HOME": folder.path, "TERM": "dumb",
        "COMPLETIONS": Manual.path("completions"),
      ], folder: folder.path)
    #expect(try !folder.names().contains("pwned"))
    return result.lines.filter { !$0.isEmpty }.map { entry in
      let parts = entry.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      return String(parts[showing && parts.count > 1 ? 1 : 0])
    }
  }

  @Test(arguments: [
    ("histctl token ", ["check", "show"]),
    ("histctl log --date ", ["local", "utc", "relative", "raw"]),
    ("histctl log x.store --kind ", ["insert", "update", "delete"]),
    ("histctl log --busy-timeout ", []), ("histctl help sna", ["snapshot"]),
  ])
  func `options and their values are completed`(_ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    #expect(try await Self.complete(line, in: folder) == words)
  }

  @Test(arguments: [
    #"histctl log my\ store.store --author "#, #"histctl log "my store.store" --author "#,
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
    ("histctl token check my\\ store.store last ye", "yesterday"),
    ("histctl bookmark remove my\\ store.store wi", "widget"),
    ("histctl log my\\ store.store --entity Buck", "BucketListItem"),
    ("histctl log missing.store --author ", nil),
  ])
  func `values of the store are completed`(_ line: String, _ word: String?) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(try await Self.complete(line, in: folder) == (word.map { [$0] } ?? []))
  }

  @Test func `tokens are shown with time and author`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let shown = try await Self.complete(
      #"histctl show my\ store.store "#, in: folder, showing: true
    ).map { $0.replacing(#/ +-- /#, with: " -- ") }
    #expect(shown.contains("@widget -- bookmark at 3"))
    #expect(shown.contains("last -- the newest transaction"))
    #expect(shown.contains("2 -- 2024-07-29 00:43:40 %F{red}"))
    #expect(shown.contains(#"15 -- 2024-07-29 00:56:40 new\nline"#))
  }
}
