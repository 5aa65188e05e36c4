# Completion of histctl for bash. Made by `make docs` from the command line itself.

# Sets what follows a command: commands below it, options and arguments, each as
# NAME:KIND:WORDS; an argument that ends in :... takes all words that follow.
__histctl_table() {
  case $1 in
    'histctl')
      commands=(
      'info'
      'log'
      'show'
      'diff'
      'object'
      'export'
      'stats'
      'archive'
      'prune'
      'restore'
      'compact'
      'maintain'
      'check'
      'verify'
      'token'
      'bookmark'
      'rehearse'
      'demo'
    )
      options=(
      '--version:none:'
      '--help:none:'
    )
      arguments=()
      ;;
    'histctl info')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--no-values:none:'
      '--values-file:file:'
      '--all:none:'
      '--model:none:'
      '--entity:store:entity'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
    )
      ;;
    'histctl log')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--since:store:token'
      '--after:store:token'
      '--until:store:token'
      '--author:store:author'
      '--not-author:store:author'
      '--no-author:none:'
      '--bundle:store:bundle'
      '--process:store:process'
      '--entity:store:entity'
      '--exact-entity:store:entity'
      '--kind:words:insert update delete'
      '--object:store:object'
      '--attribute:store:attribute'
      '-n:free:'
      '--reverse:none:'
      '--changes:none:'
      '--only-matching:none:'
      '-f:none:'
      '--follow:none:'
      '--no-values:none:'
      '--values-file:file:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
    )
      ;;
    'histctl show')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--no-values:none:'
      '--values-file:file:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'token:store:token'
    )
      ;;
    'histctl diff')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--with:file:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--author:store:author'
      '--not-author:store:author'
      '--no-author:none:'
      '--bundle:store:bundle'
      '--process:store:process'
      '--entity:store:entity'
      '--exact-entity:store:entity'
      '--kind:words:insert update delete'
      '--object:store:object'
      '--attribute:store:attribute'
      '--each:none:'
      '--stat:none:'
      '--name-only:none:'
      '--exit-code:none:'
      '--no-values:none:'
      '--values-file:file:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'token:store:token'
      'token:store:token'
    )
      ;;
    'histctl object')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--since:store:token'
      '--after:store:token'
      '--until:store:token'
      '--author:store:author'
      '--not-author:store:author'
      '--no-author:none:'
      '--bundle:store:bundle'
      '--process:store:process'
      '--kind:words:insert update delete'
      '--attribute:store:attribute'
      '--no-values:none:'
      '--values-file:file:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'object:store:object'
    )
      ;;
    'histctl export')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--since:store:token'
      '--after:store:token'
      '--until:store:token'
      '--author:store:author'
      '--not-author:store:author'
      '--no-author:none:'
      '--bundle:store:bundle'
      '--process:store:process'
      '--entity:store:entity'
      '--exact-entity:store:entity'
      '--kind:words:insert update delete'
      '--object:store:object'
      '--attribute:store:attribute'
      '--only-matching:none:'
      '--no-values:none:'
      '--values-file:file:'
      '--format:words:jsonl changes cloudevents debezium csv'
      '--fields:free:'
      '--safe-cells:none:'
      '--with-current:none:'
      '--compress:words:none zstd gzip'
      '-o:file:'
      '--output:file:'
      '--overwrite:none:'
      '--output-dir:folder:'
      '--bookmark:free:'
      '--lock-wait:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
    )
      ;;
    'histctl stats')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--since:store:token'
      '--after:store:token'
      '--until:store:token'
      '--author:store:author'
      '--not-author:store:author'
      '--no-author:none:'
      '--bundle:store:bundle'
      '--process:store:process'
      '--entity:store:entity'
      '--exact-entity:store:entity'
      '--kind:words:insert update delete'
      '--object:store:object'
      '--attribute:store:attribute'
      '--by:words:hour day week month'
      '--top:free:'
      '--until-size:free:'
      '--csv:none:'
      '--safe-cells:none:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
    )
      ;;
    'histctl archive')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--before:store:token'
      '--segment-size:free:'
      '--allow-gap:none:'
      '--lock-wait:free:'
      '--no-values:none:'
      '--values-file:file:'
      '--ignore-guard:free:'
      '-n:none:'
      '--dry-run:none:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'dir:folder:'
    )
      ;;
    'histctl prune')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--before:store:token'
      '--keep-within:free:'
      '--keep-last:free:'
      '--max-size:free:'
      '--all:none:'
      '--entity:store:entity'
      '--if-larger:free:'
      '--max-behind:free:'
      '--ignore-guard:free:'
      '--archive:folder:'
      '--segment-size:free:'
      '--allow-gap:none:'
      '--lock-wait:free:'
      '--check-token:store:token'
      '-n:none:'
      '--dry-run:none:'
      '-y:none:'
      '--yes:none:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file::...'
    )
      ;;
    'histctl restore')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--from:store:token'
      '--ignore-guard:free:'
      '-n:none:'
      '--dry-run:none:'
      '-y:none:'
      '--yes:none:'
      '--lock-wait:free:'
      '--no-values:none:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'dir:folder:'
    )
      ;;
    'histctl compact')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--full:none:'
      '-n:none:'
      '--dry-run:none:'
      '--ignore-guard:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
    )
      ;;
    'histctl maintain')
      commands=()
      options=(
      '--config:file:'
      '--only:free:'
      '--check-config:none:'
      '-n:none:'
      '--dry-run:none:'
      '--lock-wait:free:'
      '--ignore-guard:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=()
      ;;
    'histctl check')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--max-size:free:'
      '--max-age:free:'
      '--min-headroom:free:'
      '--max-behind:free:'
      '--keep-within:free:'
      '--keep-last:free:'
      '--prometheus:none:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file::...'
    )
      ;;
    'histctl verify')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--full:none:'
      '--archive:folder:'
      '--anchor:free:'
      '--subset:free:'
      '--limit:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'path:file:'
    )
      ;;
    'histctl token')
      commands=(
      'check'
      'show'
    )
      options=(
      '--version:none:'
      '--help:none:'
    )
      arguments=()
      ;;
    'histctl token check')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--archive:folder:'
      '--store-identifier:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'token:store:token:...'
    )
      ;;
    'histctl token show')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--as:words:number portable json plist'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'token:store:token'
    )
      ;;
    'histctl bookmark')
      commands=(
      'set'
      'list'
      'check'
      'remove'
    )
      options=(
      '--version:none:'
      '--help:none:'
    )
      arguments=()
      ;;
    'histctl bookmark set')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--force:none:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'bookmark:store:bookmark'
      'token:store:token'
    )
      ;;
    'histctl bookmark list')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--max-behind:free:'
      '--keep-within:free:'
      '--keep-last:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
    )
      ;;
    'histctl bookmark check')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--max-behind:free:'
      '--keep-within:free:'
      '--keep-last:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'bookmark:store:bookmark:...'
    )
      ;;
    'histctl bookmark remove')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'bookmark:store:bookmark:...'
    )
      ;;
    'histctl rehearse')
      commands=()
      options=(
      '--bookmark-file:file:'
      '--busy-timeout:free:'
      '--expire:store:token'
      '-o:file:'
      '--output:file:'
      '--overwrite:none:'
      '--check-token:store:token'
      '--no-values:none:'
      '--values-file:file:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'store:file:'
      'token:store:token'
    )
      ;;
    'histctl demo')
      commands=()
      options=(
      '--overwrite:none:'
      '--ending:free:'
      '--json:none:'
      '--qualified:none:'
      '--date:words:local utc relative raw'
      '--color:words:auto always never'
      '--no-pager:none:'
      '-q:none:'
      '--quiet:none:'
      '--version:none:'
      '--help:none:'
    )
      arguments=(
      'dir:folder:'
    )
      ;;
    *) return 1 ;;
  esac
}

# Splits a line into words as the shell would, expanding nothing. What stands at its end goes
# to last_word, with the quote that is open there and the length of what readline leaves alone.
__histctl_split() {
  local line=$1 i char begun=
  split_words=() last_word= open_quote= kept_length=0
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    if [[ $open_quote == "'" && $char != "'" ]]; then
      last_word+=$char
    elif [[ $char == \\ ]]; then
      i=$((i + 1))
      char=${line:i:1}
      if [[ $open_quote == '"' && $char != [\"\\\$\`] ]]; then last_word+=\\; fi
      last_word+=$char begun=1
    elif [[ -n $open_quote && $char == "$open_quote" ]]; then
      open_quote= kept_length=${#last_word}
    elif [[ -z $open_quote && $char == [\"\'] ]]; then
      open_quote=$char kept_length=${#last_word} begun=1
    elif [[ -z $open_quote && $char == [[:space:]] ]]; then
      if [[ -n $begun ]]; then split_words+=("$last_word"); fi
      last_word= kept_length=0 begun=
    else
      last_word+=$char begun=1
      if [[ -z $open_quote && ${COMP_WORDBREAKS-} == *"$char"* ]]; then
        kept_length=${#last_word}
      fi
    fi
  done
}

# Sets `found` to the KIND:WORDS of an option.
__histctl_option() {
  local entry
  found=free:
  for entry in "${options[@]}"; do
    if [[ ${entry%%:*} == "$1" ]]; then found=${entry#*:}; fi
  done
}

# Sets `found` to the NAME:KIND:WORDS of the argument with a number; the last may repeat.
__histctl_argument() {
  found=
  local last=$((${#arguments[@]} - 1))
  if (($1 <= last)); then
    found=${arguments[$1]%:...}
  elif ((last >= 0)) && [[ ${arguments[last]} == *:... ]]; then
    found=${arguments[last]%:...}
  fi
}

# Adds to `offered` what the store on the command line has of a kind.
__histctl_ask() {
  local value note
  if [[ -z $store ]]; then return; fi
  if [[ $store == '~/'* ]]; then store=$HOME/${store:2}; fi
  if [[ $bookmarks == '~/'* ]]; then bookmarks=$HOME/${bookmarks:2}; fi
  while IFS=$'\t' read -r value note; do
    if [[ -n $value ]]; then offered+=("$value"); fi
  done < <(command histctl complete "$1" --store="$store" \
    ${bookmarks:+"--bookmark-file=$bookmarks"} </dev/null 2>/dev/null)
}

# Adds what is offered and begins with what is typed to COMPREPLY, quoted like the word at the
# cursor and without what readline leaves alone.
__histctl_reply() {
  local typed=$1 lead=$2 kept=$((kept_length - ${#2})) value quoted
  if ((kept < 0)); then
    lead=${lead:kept_length} kept=0
  else
    lead=
  fi
  for value in "${offered[@]}"; do
    if [[ $value != "$typed"* ]]; then continue; fi
    value=${value:kept}
    case $open_quote in
      \') quoted=${value//\'/\'\\\'\'} ;;
      \")
        # In double quotes bash cannot say an exclamation mark.
        if [[ $value == *'!'* ]]; then continue; fi
        quoted=${value//\\/\\\\}
        quoted=${quoted//\"/\\\"}
        quoted=${quoted//\$/\\\$}
        quoted=${quoted//\`/\\\`}
        ;;
      *)
        quoted=
        if [[ -n $value ]]; then printf -v quoted %q "$value"; fi
        ;;
    esac
    COMPREPLY+=("$lead$quoted")
  done
  # readline closes the quote of a single reply, unless it takes the reply's end for that.
  if [[ -n $open_quote && ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *"$open_quote" ]]; then
    COMPREPLY[0]+=$open_quote
  fi
}

# Leaves files to readline where bash is new enough to be asked, which knows all about quoting.
__histctl_files() {
  if compopt -o default 2>/dev/null; then return; fi
  local value
  while IFS= read -r value; do offered+=("$value"); done < <(compgen "$1" -- "$2")
  __histctl_reply "$2" "$3"
}

_histctl() {
  local IFS=$' \t\n' commands options arguments offered=() found
  local split_words last_word open_quote kept_length
  local line=${COMP_LINE:-${COMP_WORDS[*]}}
  local point=${COMP_POINT:-${#line}}
  COMPREPLY=()

  # What stands behind the cursor counts too: the store may be there.
  local rest=${line:point} words=()
  __histctl_split "$rest "
  words=("${split_words[@]}")
  if [[ -n $rest && $rest != [[:space:]]* ]]; then words=("${words[@]:1}"); fi
  __histctl_split "${line:0:point}"
  local cursor=$((${#split_words[@]} - 1)) current=$last_word
  if ((cursor < 0)); then return; fi
  if [[ -n $open_quote ]]; then words=(); fi
  words=("${split_words[@]:1}" "$current" "${words[@]}")

  local path=histctl position=0 wanted= wanted_by= asked= typed=$current lead= plain=
  local store= bookmarks= i word candidates=()
  __histctl_table "$path" || return
  for ((i = 0; i < ${#words[@]}; i++)); do
    word=${words[i]}
    if ((i == cursor)); then
      if [[ -n $wanted ]]; then
        asked=$wanted
      elif [[ -z $plain && $word == --*=* ]]; then
        lead=${word%%=*}=
        typed=${word#*=}
        __histctl_option "${word%%=*}"
        asked=$found
      elif [[ -z $plain && $word == -* ]]; then
        candidates=("${options[@]%%:*}")
      elif ((${#commands[@]} > 0)); then
        candidates=("${commands[@]}")
      else
        __histctl_argument "$position"
        asked=${found#*:}
        position=$((position + 1))
      fi
      wanted=
    elif [[ -n $wanted ]]; then
      if [[ $wanted_by == --bookmark-file ]]; then bookmarks=$word; fi
      wanted=
    elif [[ -z $plain && $word == -- ]]; then
      plain=1
    elif [[ -z $plain && $word == --*=* ]]; then
      if [[ $word == --bookmark-file=* ]]; then bookmarks=${word#*=}; fi
    elif [[ -z $plain && $word == -?* ]]; then
      __histctl_option "$word"
      if [[ $found != none:* ]]; then wanted=$found wanted_by=$word; fi
    elif ((${#commands[@]} > 0)); then
      path+=" $word"
      __histctl_table "$path" || break
    else
      __histctl_argument "$position"
      if [[ $found == store:* ]]; then store=$word; fi
      position=$((position + 1))
    fi
  done

  case $asked in
    words:*) read -r -a offered <<<"${asked#*:}" ;;
    file:*) __histctl_files -f "$typed" "$lead" && return ;;
    folder:*) __histctl_files -d "$typed" "$lead" && return ;;
    store:*)
      compopt -o nosort 2>/dev/null
      __histctl_ask "${asked#*:}"
      ;;
    *) offered=("${candidates[@]}") ;;
  esac
  __histctl_reply "$typed" "$lead"
}

complete -F _histctl histctl
