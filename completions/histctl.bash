
__histctl_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__histctl_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__histctl_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__histctl_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_histctl() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __histctl_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    info|log|show|diff|object|blame|export|stats|report|find|mcp|archive|forget|prune|restore|compact|maintain|check|verify|token|bookmark|rehearse|snapshot|recover|scrub|record|demo|completion|help)
        # Offer subcommand argument completions
        "_histctl_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'info log show diff object blame export stats report find mcp archive forget prune restore compact maintain check verify token bookmark rehearse snapshot recover scrub record demo completion help' -- "${cur}"))
        ;;
    esac
}

_histctl_info() {
    repeating_flags=()
    non_repeating_flags=(--no-values --all --hashes --model --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--entity)
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --values-file --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion info -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_log() {
    repeating_flags=()
    non_repeating_flags=(--no-author --reverse --changes --stat --count --only-matching --follow -f --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--author --not-author --bundle --process --entity --exact-entity --kind --object --attribute --value)
    non_repeating_options=(--stores-from --bookmark-file --busy-timeout --private-copy --archive --store-identifier --after --since --until --range -n --skip --values-file --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--stores-from')
        __histctl_add_completions -f
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--after'|'--since')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --after "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--until')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --until "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--range')
        return
        ;;
    '--author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--not-author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --not-author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--bundle')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --bundle "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--process')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --process "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--exact-entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --exact-entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--kind')
        __histctl_add_completions -W 'insert'$'\n''update'$'\n''delete'
        return
        ;;
    '--object')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --object "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion log -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '-n')
        return
        ;;
    '--skip')
        return
        ;;
    '--value')
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_show() {
    repeating_flags=()
    non_repeating_flags=(--no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --archive --store-identifier --values-file --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion show -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_diff() {
    repeating_flags=()
    non_repeating_flags=(--no-author --each --stat --name-only --values --exit-code --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--author --not-author --bundle --process --entity --exact-entity --kind --object --attribute)
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --with --archive --store-identifier --values-file --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--with')
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--not-author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --not-author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--bundle')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --bundle "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--process')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --process "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--exact-entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --exact-entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--kind')
        __histctl_add_completions -W 'insert'$'\n''update'$'\n''delete'
        return
        ;;
    '--object')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --object "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    3)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion diff -- positional@2 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_object() {
    repeating_flags=()
    non_repeating_flags=(--no-author --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--author --not-author --bundle --process --kind --attribute)
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --archive --store-identifier --after --since --until --range --values-file --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--after'|'--since')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --after "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--until')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --until "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--range')
        return
        ;;
    '--author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--not-author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --not-author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--bundle')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --bundle "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--process')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --process "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--kind')
        __histctl_add_completions -W 'insert'$'\n''update'$'\n''delete'
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion object -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_blame() {
    repeating_flags=()
    non_repeating_flags=(--no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--attribute)
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --at --archive --store-identifier --values-file --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--at')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion blame -- --at "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion blame -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion blame -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_export() {
    repeating_flags=()
    non_repeating_flags=(--no-author --only-matching --no-values --safe-cells --with-current --overwrite --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--author --not-author --bundle --process --entity --exact-entity --kind --object --attribute)
    non_repeating_options=(--stores-from --bookmark-file --busy-timeout --private-copy --archive --store-identifier --after --since --until --range --values-file --format --fields --compress -o --output --output-dir --partition --bookmark --lock-wait --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--stores-from')
        __histctl_add_completions -f
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--after'|'--since')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --after "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--until')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --until "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--range')
        return
        ;;
    '--author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--not-author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --not-author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--bundle')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --bundle "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--process')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --process "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--exact-entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --exact-entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--kind')
        __histctl_add_completions -W 'insert'$'\n''update'$'\n''delete'
        return
        ;;
    '--object')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --object "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--format')
        __histctl_add_completions -W 'jsonl'$'\n''changes'$'\n''cloudevents'$'\n''debezium'$'\n''csv'$'\n''timesketch'$'\n''bodyfile'$'\n''sqlite'
        return
        ;;
    '--fields')
        return
        ;;
    '--compress')
        __histctl_add_completions -W 'none'$'\n''zstd'$'\n''gzip'
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -f
        return
        ;;
    '--output-dir')
        __histctl_add_completions -d
        return
        ;;
    '--partition')
        __histctl_add_completions -W 'store'$'\n''store,month'
        return
        ;;
    '--bookmark')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion export -- --bookmark "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_stats() {
    repeating_flags=()
    non_repeating_flags=(--no-author --only-matching --weekdays --csv --safe-cells --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--author --not-author --bundle --process --entity --exact-entity --kind --object --attribute)
    non_repeating_options=(--stores-from --bookmark-file --busy-timeout --private-copy --archive --store-identifier --after --since --until --range --by --sessions --top --until-size --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--stores-from')
        __histctl_add_completions -f
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--after'|'--since')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --after "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--until')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --until "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--range')
        return
        ;;
    '--author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--not-author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --not-author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--bundle')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --bundle "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--process')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --process "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--exact-entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --exact-entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--kind')
        __histctl_add_completions -W 'insert'$'\n''update'$'\n''delete'
        return
        ;;
    '--object')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --object "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion stats -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--by')
        __histctl_add_completions -W 'hour'$'\n''day'$'\n''week'$'\n''month'
        return
        ;;
    '--sessions')
        return
        ;;
    '--top')
        return
        ;;
    '--until-size')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_report() {
    repeating_flags=()
    non_repeating_flags=(--no-author --overwrite --open --redact --hashes --reproducible --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--author --not-author --bundle --process --entity --exact-entity --kind --object --attribute --value)
    non_repeating_options=(--stores-from --bookmark-file --busy-timeout --private-copy --archive --store-identifier --after --since --until --range -o --output --title --max-transactions --values-file --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--stores-from')
        __histctl_add_completions -f
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--after'|'--since')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --after "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--until')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --until "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--range')
        return
        ;;
    '--author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--not-author')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --not-author "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--bundle')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --bundle "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--process')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --process "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--exact-entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --exact-entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--kind')
        __histctl_add_completions -W 'insert'$'\n''update'$'\n''delete'
        return
        ;;
    '--object')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --object "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--attribute')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion report -- --attribute "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--value')
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -o plusdirs -fX '!*.@(html)'
        return
        ;;
    '--title')
        return
        ;;
    '--max-transactions')
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_find() {
    repeating_flags=()
    non_repeating_flags=(--apps --with-history -0 --null --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--changed-after --max-member --max-unpacked --extract --busy-timeout --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--changed-after')
        return
        ;;
    '--max-member')
        return
        ;;
    '--max-unpacked')
        return
        ;;
    '--extract')
        __histctl_add_completions -d
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -f
        return
        ;;
    esac
}

_histctl_mcp() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(--max-text)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--max-text')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_archive() {
    repeating_flags=()
    non_repeating_flags=(--allow-gap --no-values -n --dry-run --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--ignore-guard)
    non_repeating_options=(--bookmark-file --busy-timeout --before --segment-size --lock-wait --values-file --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--before')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion archive -- --before "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--segment-size')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -d
        return
        ;;
    esac
}

_histctl_forget() {
    repeating_flags=()
    non_repeating_flags=(--merge -n --dry-run --yes -y --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--bookmark-file --ignore-guard)
    non_repeating_options=(--store-identifier --before --keep-within --keep-last --segment-size --lock-wait --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--store-identifier')
        return
        ;;
    '--before')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion forget -- --before "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--keep-within')
        return
        ;;
    '--keep-last')
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--segment-size')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -d
        return
        ;;
    esac
}

_histctl_prune() {
    repeating_flags=()
    non_repeating_flags=(--all --allow-gap --no-values -n --dry-run --yes -y --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--ignore-guard --check-token)
    non_repeating_options=(--stores-from --bookmark-file --busy-timeout --before --keep-within --keep-last --max-size --entity --if-larger --max-behind --archive --segment-size --lock-wait --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--stores-from')
        __histctl_add_completions -f
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--before')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion prune -- --before "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--keep-within')
        return
        ;;
    '--keep-last')
        return
        ;;
    '--max-size')
        return
        ;;
    '--entity')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion prune -- --entity "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--if-larger')
        return
        ;;
    '--max-behind')
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--segment-size')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--check-token')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion prune -- --check-token "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_restore() {
    repeating_flags=()
    non_repeating_flags=(-n --dry-run --yes -y --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--ignore-guard)
    non_repeating_options=(--bookmark-file --busy-timeout --from --lock-wait --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--from')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion restore -- --from "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -d
        return
        ;;
    esac
}

_histctl_compact() {
    repeating_flags=()
    non_repeating_flags=(--full -n --dry-run --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--ignore-guard)
    non_repeating_options=(--bookmark-file --busy-timeout --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_maintain() {
    repeating_flags=()
    non_repeating_flags=(--check-config -n --dry-run --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--only --ignore-guard)
    non_repeating_options=(--config --lock-wait --metrics --date --color)
    __histctl_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __histctl_add_completions -f
        return
        ;;
    '--only')
        return
        ;;
    '--lock-wait')
        return
        ;;
    '--metrics')
        __histctl_add_completions -o plusdirs -fX '!*.@(prom)'
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_histctl_check() {
    repeating_flags=()
    non_repeating_flags=(--prometheus --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--stores-from --bookmark-file --busy-timeout --private-copy --max-size --max-age --min-headroom --max-export-failure --max-behind --keep-within --keep-last -o --output --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--stores-from')
        __histctl_add_completions -f
        return
        ;;
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--max-size')
        return
        ;;
    '--max-age')
        return
        ;;
    '--min-headroom')
        return
        ;;
    '--max-export-failure')
        return
        ;;
    '--max-behind')
        return
        ;;
    '--keep-within')
        return
        ;;
    '--keep-last')
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -o plusdirs -fX '!*.@(prom)'
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_verify() {
    repeating_flags=()
    non_repeating_flags=(--full --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --archive --anchor --subset --limit --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--anchor')
        return
        ;;
    '--subset')
        return
        ;;
    '--limit')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_token() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __histctl_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    check|show)
        # Offer subcommand argument completions
        "_histctl_token_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'check show' -- "${cur}"))
        ;;
    esac
}

_histctl_token_check() {
    repeating_flags=()
    non_repeating_flags=(--json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --archive --store-identifier --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    *)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion token check -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_token_show() {
    repeating_flags=()
    non_repeating_flags=(--json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --as --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--as')
        __histctl_add_completions -W 'number'$'\n''portable'$'\n''json'$'\n''plist'
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion token show -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_bookmark() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __histctl_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    set|list|check|remove)
        # Offer subcommand argument completions
        "_histctl_bookmark_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'set list check remove' -- "${cur}"))
        ;;
    esac
}

_histctl_bookmark_set() {
    repeating_flags=()
    non_repeating_flags=(--force --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --date --color)
    __histctl_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion bookmark set -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    3)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion bookmark set -- positional@2 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_bookmark_list() {
    repeating_flags=()
    non_repeating_flags=(--json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --max-behind --keep-within --keep-last --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--max-behind')
        return
        ;;
    '--keep-within')
        return
        ;;
    '--keep-last')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_bookmark_check() {
    repeating_flags=()
    non_repeating_flags=(--json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --private-copy --max-behind --keep-within --keep-last --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--private-copy')
        __histctl_add_completions -d
        return
        ;;
    '--max-behind')
        return
        ;;
    '--keep-within')
        return
        ;;
    '--keep-last')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    *)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion bookmark check -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_bookmark_remove() {
    repeating_flags=()
    non_repeating_flags=(--json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    *)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion bookmark remove -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_rehearse() {
    repeating_flags=()
    non_repeating_flags=(--overwrite --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--expire --ignore-guard --check-token)
    non_repeating_options=(--bookmark-file --busy-timeout -o --output --values-file --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--expire')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion rehearse -- --expire "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -f
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--check-token')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion rehearse -- --check-token "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion rehearse -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_snapshot() {
    repeating_flags=()
    non_repeating_flags=(--overwrite --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--ignore-guard)
    non_repeating_options=(--bookmark-file --busy-timeout -o --output --date --color)
    __histctl_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -f
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    2)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion snapshot -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_recover() {
    repeating_flags=()
    non_repeating_flags=(--sql --overwrite --no-values --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=(--ignore-guard)
    non_repeating_options=(--bookmark-file --busy-timeout --transaction -o --output --archive --store-identifier --values-file --date --color)
    __histctl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--transaction')
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion recover -- --transaction "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -f
        return
        ;;
    '--archive')
        __histctl_add_completions -d
        return
        ;;
    '--store-identifier')
        return
        ;;
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--ignore-guard')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    *)
        __histctl_add_completions -W "$(__histctl_custom_complete ---completion recover -- positional@1 "${COMP_CWORD}" "$(__histctl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_histctl_scrub() {
    repeating_flags=()
    non_repeating_flags=(--overwrite --authors --names -n --dry-run --yes -y --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--bookmark-file --busy-timeout -o --output --key --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--bookmark-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '-o'|'--output')
        __histctl_add_completions -f
        return
        ;;
    '--key')
        __histctl_add_completions -f
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_record() {
    repeating_flags=()
    non_repeating_flags=(--once --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--values-file --busy-timeout --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--values-file')
        __histctl_add_completions -f
        return
        ;;
    '--busy-timeout')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -fX '*@(-shm|-wal|-journal|-values.db|-bookmarks.json)'
        return
        ;;
    esac
}

_histctl_demo() {
    repeating_flags=()
    non_repeating_flags=(--overwrite --json --qualified --precise-times --no-pager --quiet -q --version -h --help)
    repeating_options=()
    non_repeating_options=(--ending --date --color)
    __histctl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--ending')
        return
        ;;
    '--date')
        __histctl_add_completions -W 'local'$'\n''utc'$'\n''relative'$'\n''raw'
        return
        ;;
    '--color')
        __histctl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -d
        return
        ;;
    esac
}

_histctl_completion() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __histctl_offer_flags_options 1

    # Offer positional completions
    case "${positional_number}" in
    1)
        __histctl_add_completions -W 'bash'$'\n''zsh'$'\n''fish'
        return
        ;;
    esac
}

_histctl_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __histctl_offer_flags_options -1

    # The commands, after the word help itself.
    if [[ "${COMP_CWORD}" -eq 2 ]]; then
        __histctl_add_completions -W 'info'$'\n''log'$'\n''show'$'\n''diff'$'\n''object'$'\n''blame'$'\n''export'$'\n''stats'$'\n''report'$'\n''find'$'\n''mcp'$'\n''archive'$'\n''forget'$'\n''prune'$'\n''restore'$'\n''compact'$'\n''maintain'$'\n''check'$'\n''verify'$'\n''token'$'\n''bookmark'$'\n''rehearse'$'\n''snapshot'$'\n''recover'$'\n''scrub'$'\n''record'$'\n''demo'$'\n''completion'
    fi
}

complete -o filenames -F _histctl histctl