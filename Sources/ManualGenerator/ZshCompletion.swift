/// The completion for zsh, from version 5 on: a file that `compinit` loads.
///
/// zsh quotes what is inserted; the words of the line are only freed of their quotes, and nothing
/// of them or of a store is ever evaluated.
struct ZshCompletion {
  let tables: [CompletionTable]

  /// The whole script.
  var text: String {
    let cases = tables.map { table in
      """
          (\(table.name.quotedForShell))
            commands=(\(words(table.commands.map { "\($0.name):\($0.description)" })))
            options=(\(words(table.options.map(\.field))))
            arguments=(\(words(table.arguments.map(field))))
            ;;
      """
    }
    return Self.head + cases.joined(separator: "\n") + "\n" + Self.body
  }

  private func words(_ words: [String]) -> String {
    words.map { "\n        " + $0.quotedForShell }.joined() + (words.isEmpty ? "" : "\n      ")
  }

  private func field(_ argument: CompletionTable.Entry) -> String {
    argument.field + (argument.isRepeating ? ":..." : "")
  }

  private static let head = #"""
    #compdef histctl
    # Completion of histctl for zsh. Made by `make docs` from the command line itself.

    # Sets what follows a command: commands below it as NAME:DESCRIPTION, options and arguments as
    # NAME:KIND:WORDS:DESCRIPTION; an argument that ends in :... takes all words that follow.
    _histctl_table() {
      case $1 in

    """#

  private static let body = #"""
        (*) return 1 ;;
      esac
    }

    # Sets `found` to the KIND:WORDS:DESCRIPTION of an option.
    _histctl_option() {
      local entry
      found=free::
      for entry in $options; do
        if [[ ${entry%%:*} == $1 ]]; then found=${entry#*:}; fi
      done
    }

    # Sets `found` to the entry of the argument with a number, from 1 on; the last may repeat.
    _histctl_argument() {
      found=
      if (( $1 <= $#arguments )); then
        found=${arguments[$1]%:...}
      elif (( $#arguments )) && [[ $arguments[-1] == *:... ]]; then
        found=${arguments[-1]%:...}
      fi
    }

    # Offers what is in `offered`: a value a line, or a value, a tab and a note.
    _histctl_reply() {
      local -a values displays
      local entry value note noted=
      for entry in $offered; do
        value=${entry%%$'\t'*}
        note=
        if [[ $entry == *$'\t'* ]]; then note=${entry#*$'\t'}; fi
        values+=("$value")
        displays+=("$value${note:+  -- $note}")
        if [[ -n $note ]]; then noted=1; fi
      done
      if (( ! $#values )); then return 1; fi
      if [[ -n $noted ]]; then
        compadd -V histctl -l -d displays -a values
      else
        compadd -V histctl -a values
      fi
    }

    _histctl() {
      emulate -L zsh
      local -a commands options arguments offered candidates
      local name=histctl wanted= wanted_by= asked= plain= store= bookmarks= word found entry
      integer position=1 i
      _histctl_table $name || return 1
      for (( i = 2; i <= $#words || i == CURRENT; i++ )); do
        if (( i == CURRENT )); then
          word=$PREFIX
          if [[ -n $wanted ]]; then
            asked=$wanted
          elif [[ -z $plain && $word == --*=* ]]; then
            _histctl_option ${word%%=*}
            asked=$found
            compset -P 1 '*='
          elif [[ -z $plain && $word == -* ]]; then
            for entry in $options; do
              candidates+=("${entry%%:*}"$'\t'"${entry#*:*:*:}")
            done
          elif (( $#commands )); then
            for entry in $commands; do
              candidates+=("${entry%%:*}"$'\t'"${entry#*:}")
            done
          else
            _histctl_argument $position
            asked=${found#*:}
            (( position += 1 ))
          fi
          wanted=
          continue
        fi
        word=${(Q)words[i]}
        if [[ -n $wanted ]]; then
          if [[ $wanted_by == --bookmark-file ]]; then bookmarks=$word; fi
          wanted=
        elif [[ -z $plain && $word == -- ]]; then
          plain=1
        elif [[ -z $plain && $word == --*=* ]]; then
          if [[ $word == --bookmark-file=* ]]; then bookmarks=${word#*=}; fi
        elif [[ -z $plain && $word == -?* ]]; then
          _histctl_option $word
          if [[ $found != none:* ]]; then wanted=$found wanted_by=$word; fi
        elif (( $#commands )); then
          name+=" $word"
          _histctl_table $name || break
        else
          _histctl_argument $position
          if [[ $found == store:* ]]; then store=$word; fi
          (( position += 1 ))
        fi
      done

      case $asked in
        (words:*) offered=(${=${asked#*:}%%:*}) ;;
        (file:*) _files; return ;;
        (folder:*) _files -/; return ;;
        (store:*)
          if [[ -z $store ]]; then return 1; fi
          if [[ $store == '~/'* ]]; then store=$HOME/${store[3,-1]}; fi
          if [[ $bookmarks == '~/'* ]]; then bookmarks=$HOME/${bookmarks[3,-1]}; fi
          offered=(${(f)"$(command histctl complete ${${asked#*:}%%:*} --store=$store \
            ${bookmarks:+--bookmark-file=$bookmarks} </dev/null 2>/dev/null)"})
          ;;
        (*) offered=($candidates) ;;
      esac
      _histctl_reply
    }

    # Loaded by compinit this file is the function's first call; sourced it registers it.
    if [[ $funcstack[1] == _histctl ]]; then
      _histctl "$@"
    elif (( $+functions[compdef] )); then
      compdef _histctl histctl
    fi

    """#
}
