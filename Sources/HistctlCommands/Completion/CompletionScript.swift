import ArgumentParser
import Terminal

/// `histctl completion`: writes the completion script of a shell.
struct CompletionScript: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Write the completion script of a shell.",
    discussion: """
      A shell that reads the script completes commands, options and files, and from the store on the \
      command line its authors, entities, objects, bookmarks and tokens. Packages install the \
      scripts; this command is for the program alone.

      Examples:
        histctl completion bash > ~/.local/share/bash-completion/completions/histctl
        histctl completion zsh > "${fpath[1]}/_histctl"
        histctl completion fish > ~/.config/fish/completions/histctl.fish
      """)

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: ShellArgument

  /// Standard output is the script.
  var output: OutputOptions { .usual }

  func run(_ session: Session) throws {
    try session.console.write { try $0.write(Array(shell.script.utf8)) }
  }
}

/// A shell that has completion scripts.
enum ShellArgument: String, WordArgument {
  case bash, zsh, fish

  /// The parser's script, with what it lacks.
  var script: String {
    switch self {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The names of the commands.
  private static var commands: [String] {
    Histctl.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
  }

  // MARK: - Shells

  private var bash: String {
    var script = Histctl.completionScript(for: .bash)
    // bash reads the file, and does not run it.
    if script.hasPrefix("#!"), let end = script.firstIndex(of: "\n") {
      script.removeSubrange(...end)
    }
    let endings = CompletionKind.storeCompanions.joined(separator: "|")
    return
      script
      .replacing(
        "-o plusdirs -fX '!*.@(\(CompletionKind.storeMark))'", with: "-fX '*@(\(endings))'"
      )
      .replacing(
        "    __histctl_offer_flags_options -1\n}\n\ncomplete -o",
        with: """
              __histctl_offer_flags_options -1

              # The commands, after the word help itself.
              if [[ "${COMP_CWORD}" -eq 2 ]]; then
                  __histctl_add_completions -W '\(Self.commands.joined(separator: "'$'\\n''"))'
              fi
          }

          complete -o
          """)
  }

  private var zsh: String {
    let endings = CompletionKind.storeCompanions.joined(separator: "|")
    return Histctl.completionScript(for: .zsh)
      .replacing("*.\(CompletionKind.storeMark)", with: "^*(\(endings))")
      .replacing("'*:subcommands:'", with: "':command:(\(Self.commands.joined(separator: " ")))'")
  }

  private var fish: String {
    let endings = CompletionKind.storeCompanions
    let list = "(for p in (string match -e -- \\'*/\\' (commandline -t);or printf \\n)*.\\'"
    let end =
      "\\';printf %s\\n $p;end;__fish_complete_directories (commandline -t) \\'\\')"
    return Histctl.completionScript(for: .fish)
      .replacing(list + CompletionKind.storeMark + end, with: "(__histctl_complete_stores)")
      .replacing(
        "function __histctl_tokens\n",
        with: """
          function __histctl_complete_stores
              # Files beside a store are not stores.
              __fish_complete_path (commandline -ct) | string match -rv \
          '(\(endings.map { $0.replacing(".", with: "\\.") }.joined(separator: "|")))(\\t.*)?$'
          end

          function __histctl_tokens
              # A line that another program asks for with complete -C has no cursor.
              if contains -- -tC $argv; and not status is-interactive
                  echo 0
                  return
              end

          """)
      + Self.commands.map {
        "complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "
          + "\"histctl help\" -eq 1' -fa '\($0)'\n"
      }.joined()
  }
}

extension CompletionKind {
  /// An ending that no file has, by which the scripts are told where a store is wanted.
  fileprivate static let storeMark = "histctl-store"
  /// The ends of the names of files that belong to a store.
  fileprivate static let storeCompanions = [
    "-shm", "-wal", "-journal", "-values.db", "-bookmarks.json",
  ]

  /// Files, but those that belong to a store.
  static var store: CompletionKind { .file(extensions: [storeMark]) }
}
