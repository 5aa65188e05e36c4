/// The completion for fish, from version 3 on.
///
/// fish quotes what is inserted and gives the words of the line without quotes; nothing of them or
/// of a store is ever evaluated.
struct FishCompletion {
  let tables: [CompletionTable]

  /// The whole script.
  var text: String {
    ([Self.head] + tables.map(knowledge) + [Self.body] + tables.map(completions))
      .joined(separator: "\n") + "\n"
  }

  /// A case of the function that says what follows a command.
  private func knowledge(_ table: CompletionTable) -> String {
    let valued = table.options.filter { if case .none = $0.value { false } else { true } }
    let store = table.arguments.firstIndex { $0.name == "store" }.map { "\($0 + 1)" } ?? "0"
    return """
              case \(table.name.quotedForFish)
                  set commands \(table.commands.map(\.name).joined(separator: " "))
                  set valued \(valued.map(\.name).joined(separator: " "))
                  set store_position \(store)
      """
  }

  private func completions(_ table: CompletionTable) -> String {
    let here = "-n \("__histctl_at \(table.name.quotedForFish)".quotedForFish)"
    var lines = table.commands.map {
      "complete -c histctl \(here) -a \($0.name) -d \($0.description.quotedForFish)"
    }
    for option in table.options {
      let isLong = option.name.hasPrefix("--")
      let name = option.name.drop { $0 == "-" }
      let flag = isLong ? "-l" : name.count == 1 ? "-s" : "-o"
      lines.append(
        "complete -c histctl \(here) \(flag) \(name)\(value(option.value, of: .option)) "
          + "-d \(option.description.quotedForFish)")
    }
    for (index, argument) in table.arguments.enumerated() {
      let value = value(argument.value, of: .positional)
      guard !value.isEmpty else { continue }
      let condition =
        "__histctl_argument \(table.name.quotedForFish) \(index + 1)"
        + (argument.isRepeating ? " repeating" : "")
      lines.append("complete -c histctl -n \(condition.quotedForFish)\(value)")
    }
    return "\n" + lines.joined(separator: "\n")
  }

  private func value(_ value: CompletionTable.Value, of kind: ArgumentDump.Kind) -> String {
    let required = kind == .positional ? "" : " -x"
    return switch value {
    case .none: ""
    case .free: required
    case .file: (kind == .positional ? "" : " -r") + " -F"
    case .folder: required + " -a '(__fish_complete_directories (commandline -ct))'"
    case .words(let words): required + " -a \(words.joined(separator: " ").quotedForFish)"
    case .store(let kind): required + " -k -a '(__histctl_ask \(kind))'"
    }
  }

  private static let head = #"""
    # Completion of histctl for fish. Made by `make docs` from the command line itself.

    # Prints, a line each: the command at the cursor, the number of its argument there, the store
    # and the file of bookmarks that the line names.
    function __histctl_state
        set -l before (commandline -opc)
        set -l words (commandline -op)
        set -l cursor (count $before)
        set -l current (commandline -ct)
        # A word of its own is at the cursor even where nothing has been typed yet.
        if test -z "$current"
            if test (count $words) -gt $cursor
                set words $before '' $words[(math $cursor + 1)..-1]
            else
                set words $before ''
            end
        end
        set -l name histctl
        set -l position 1
        set -l found_name histctl
        set -l found_position 1
        set -l store ''
        set -l bookmarks ''
        set -l wanted ''
        set -l plain ''
        set -l index 1
        set -l commands
        set -l valued
        set -l store_position
        __histctl_table $name
        while test $index -lt (count $words)
            set index (math $index + 1)
            set -l word $words[$index]
            if test $index -eq (math $cursor + 1)
                set found_name $name
                set found_position $position
            end
            if test -n "$wanted"
                if test "$wanted" = --bookmark-file
                    set bookmarks $word
                end
                set wanted ''
            else if test -z "$plain"; and string match -q -- -- $word
                set plain 1
            else if test -z "$plain"; and string match -q -- '--*=*' $word
                if string match -q -- '--bookmark-file=*' $word
                    set bookmarks (string replace -- --bookmark-file= '' $word)
                end
            else if test -z "$plain"; and string match -q -- '-?*' $word
                if contains -- $word $valued
                    set wanted $word
                end
            else if test (count $commands) -gt 0
                if contains -- $word $commands
                    set name "$name $word"
                    __histctl_table $name
                end
            else
                if test $position -eq $store_position
                    set store $word
                end
                set position (math $position + 1)
            end
        end
        printf '%s\n' $found_name $found_position $store $bookmarks
    end

    # Sets in its caller what follows a command: the commands below it, the options that take a
    # value, and which argument is the store.
    function __histctl_table --no-scope-shadowing
        switch $argv[1]
    """#

  private static let body = #"""
        end
    end

    # Whether the cursor is behind a command.
    function __histctl_at
        set -l state (__histctl_state)
        test "$state[1]" = "$argv[1]"
    end

    # Whether the cursor is at an argument of a command.
    function __histctl_argument
        set -l state (__histctl_state)
        test "$state[1]" = "$argv[1]"
        and test $state[2] -eq $argv[2] -o $state[2] -gt $argv[2] -a "$argv[3]" = repeating
    end

    # Prints a path with the home folder in place of its tilde.
    function __histctl_path
        if string match -q -- '~/*' $argv[1]
            echo $HOME/(string sub -s 3 -- $argv[1])
        else
            echo $argv[1]
        end
    end

    # Prints what the store on the line has of a kind.
    function __histctl_ask
        set -l state (__histctl_state)
        if test -z "$state[3]"
            return
        end
        set -l options --store=(__histctl_path $state[3])
        if test -n "$state[4]"
            set -a options --bookmark-file=(__histctl_path $state[4])
        end
        command histctl complete $argv[1] $options </dev/null 2>/dev/null
    end

    complete -c histctl -f
    """#
}
