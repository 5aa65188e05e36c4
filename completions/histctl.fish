function __histctl_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __histctl_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __histctl_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __histctl_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __histctl_parse_tokens -S
    set -l unparsed_tokens (__histctl_tokens -pc)
    switch $unparsed_tokens[1]
    case 'histctl'
        __histctl_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'info'
            __histctl_parse_subcommand 1 'bookmark-file=' 'busy-timeout=' 'no-values' 'values-file=' 'all' 'model' 'entity=+' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'log'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'after=' 'until=' 'range=' 'author=+' 'not-author=+' 'no-author' 'bundle=+' 'process=+' 'entity=+' 'exact-entity=+' 'kind=+' 'object=+' 'attribute=+' 'n=' 'reverse' 'changes' 'value=+' 'only-matching' 'f/follow' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'show'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'diff'
            __histctl_parse_subcommand 3 'bookmark-file=' 'busy-timeout=' 'with=' 'archive=' 'store-identifier=' 'author=+' 'not-author=+' 'no-author' 'bundle=+' 'process=+' 'entity=+' 'exact-entity=+' 'kind=+' 'object=+' 'attribute=+' 'each' 'stat' 'name-only' 'values' 'exit-code' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'object'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'after=' 'until=' 'range=' 'author=+' 'not-author=+' 'no-author' 'bundle=+' 'process=+' 'kind=+' 'attribute=+' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'blame'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'at=' 'attribute=+' 'archive=' 'store-identifier=' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'export'
            __histctl_parse_subcommand -r 1 'stores-from=' 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'after=' 'until=' 'range=' 'author=+' 'not-author=+' 'no-author' 'bundle=+' 'process=+' 'entity=+' 'exact-entity=+' 'kind=+' 'object=+' 'attribute=+' 'only-matching' 'no-values' 'values-file=' 'format=' 'fields=' 'safe-cells' 'with-current' 'compress=' 'o/output=' 'overwrite' 'output-dir=' 'partition=' 'bookmark=' 'lock-wait=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'stats'
            __histctl_parse_subcommand 1 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'after=' 'until=' 'range=' 'author=+' 'not-author=+' 'no-author' 'bundle=+' 'process=+' 'entity=+' 'exact-entity=+' 'kind=+' 'object=+' 'attribute=+' 'by=' 'top=' 'until-size=' 'csv' 'safe-cells' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'report'
            __histctl_parse_subcommand -r 1 'stores-from=' 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'after=' 'until=' 'range=' 'author=+' 'not-author=+' 'no-author' 'bundle=+' 'process=+' 'entity=+' 'exact-entity=+' 'kind=+' 'object=+' 'attribute=+' 'value=+' 'o/output=' 'overwrite' 'open' 'title=' 'max-transactions=' 'redact' 'reproducible' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'find'
            __histctl_parse_subcommand -r 1 'apps' 'with-history' 'changed-after=' 'max-member=' 'max-unpacked=' '0/null' 'busy-timeout=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'archive'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'before=' 'segment-size=' 'lock-wait=' 'allow-gap' 'no-values' 'values-file=' 'ignore-guard=+' 'n/dry-run' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'forget'
            __histctl_parse_subcommand 1 'store-identifier=' 'before=' 'keep-within=' 'keep-last=' 'bookmark-file=+' 'ignore-guard=+' 'merge' 'segment-size=' 'lock-wait=' 'n/dry-run' 'y/yes' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'prune'
            __histctl_parse_subcommand -r 1 'stores-from=' 'bookmark-file=' 'busy-timeout=' 'before=' 'keep-within=' 'keep-last=' 'max-size=' 'all' 'entity=' 'if-larger=' 'max-behind=' 'ignore-guard=+' 'archive=' 'segment-size=' 'lock-wait=' 'allow-gap' 'no-values' 'check-token=+' 'n/dry-run' 'y/yes' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'restore'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'from=' 'ignore-guard=+' 'n/dry-run' 'y/yes' 'lock-wait=' 'no-values' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'compact'
            __histctl_parse_subcommand 1 'bookmark-file=' 'busy-timeout=' 'full' 'n/dry-run' 'no-values' 'ignore-guard=+' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'maintain'
            __histctl_parse_subcommand 0 'config=' 'only=+' 'check-config' 'n/dry-run' 'lock-wait=' 'no-values' 'ignore-guard=+' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'check'
            __histctl_parse_subcommand -r 1 'stores-from=' 'bookmark-file=' 'busy-timeout=' 'max-size=' 'max-age=' 'min-headroom=' 'max-behind=' 'keep-within=' 'keep-last=' 'prometheus' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'verify'
            __histctl_parse_subcommand 1 'bookmark-file=' 'busy-timeout=' 'full' 'archive=' 'anchor=' 'subset=' 'limit=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'token'
            __histctl_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'check'
                __histctl_parse_subcommand -r 2 'bookmark-file=' 'busy-timeout=' 'archive=' 'store-identifier=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
            case 'show'
                __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'as=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
            end
        case 'bookmark'
            __histctl_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'set'
                __histctl_parse_subcommand 3 'bookmark-file=' 'busy-timeout=' 'force' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
            case 'list'
                __histctl_parse_subcommand 1 'bookmark-file=' 'busy-timeout=' 'max-behind=' 'keep-within=' 'keep-last=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
            case 'check'
                __histctl_parse_subcommand -r 2 'bookmark-file=' 'busy-timeout=' 'max-behind=' 'keep-within=' 'keep-last=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
            case 'remove'
                __histctl_parse_subcommand -r 2 'bookmark-file=' 'busy-timeout=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
            end
        case 'rehearse'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'expire=+' 'o/output=' 'overwrite' 'check-token=+' 'no-values' 'values-file=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'snapshot'
            __histctl_parse_subcommand 2 'bookmark-file=' 'busy-timeout=' 'o/output=' 'overwrite' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'scrub'
            __histctl_parse_subcommand 1 'bookmark-file=' 'busy-timeout=' 'o/output=' 'overwrite' 'authors' 'key=' 'n/dry-run' 'y/yes' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'record'
            __histctl_parse_subcommand 1 'once' 'values-file=' 'busy-timeout=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'demo'
            __histctl_parse_subcommand 1 'overwrite' 'ending=' 'json' 'qualified' 'date=' 'color=' 'no-pager' 'q/quiet' 'version' 'h/help'
        case 'help'
            __histctl_parse_subcommand -r 1 'version'
        end
    end
end

function __histctl_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __histctl_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __histctl_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __histctl_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__histctl_tokens -p)
    if test -z "$(__histctl_tokens -t)"
        set -l index (count (__histctl_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'histctl' -f
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'info' -d 'Describe a store and its history, or an archive.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'log' -d 'List transactions, newest first.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'show' -d 'Show one transaction in full, or each of a range.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'diff' -d 'Show the net changes of objects between two tokens.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'object' -d 'Show the history of one object, and its present values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'blame' -d 'Show who last set each attribute of an object.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'export' -d 'Export transactions, oldest first, as records for other programs.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'stats' -d 'Show activity over time, and by author, entity and kind.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'report' -d 'Write an HTML page with plots, transactions and objects of histories.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'find' -d 'List the stores in folders, archives and backups.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'archive' -d 'Seal history in an archive that any program can read.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'forget' -d 'Delete the beginning of a history in an archive.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'prune' -d 'Delete the beginning of a history.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'restore' -d 'Put sealed history back into its store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'compact' -d 'Return free pages of a store to the file system.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'maintain' -d 'Export, prune and compact many stores, as a config file says.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'check' -d 'Say whether histories stay within limits, for monitoring.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'verify' -d 'Check a store\'s history or an archive for damage.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'token' -d 'Show what a token means and whether it works.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'bookmark' -d 'Keep tokens under names, and show how far behind their consumers are.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'rehearse' -d 'Copy a store so that tokens are expired in the copy, to test an app\'s handling of it.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'snapshot' -d 'Copy a store as it was right after a transaction.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'scrub' -d 'Copy a store without its data, to give the copy away.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'record' -d 'Keep the old and new values of each save as it happens.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'demo' -d 'Write a sample store, and list commands to try on it.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl info" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" all' -l 'all' -d 'List all entities, authors, bundles and processes, not just 20 of each.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" model' -l 'model' -d 'List the model: entities, attributes and relationships.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info"' -l 'entity' -d 'With --model, only this entity.' -rfka '(__histctl_custom_completion ---completion info -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl info" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl log" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl log" -eq 2' -fka '(__histctl_custom_completion ---completion log -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" after since' -l 'after' -l 'since' -d 'Only those after this token.' -rfka '(__histctl_custom_completion ---completion log -- --after (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" until' -l 'until' -d 'Only those up to and including this token.' -rfka '(__histctl_custom_completion ---completion log -- --until (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" range' -l 'range' -d 'Only those in A..B: after token A up to and including token B.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'author' -d 'Only those by this author.' -rfka '(__histctl_custom_completion ---completion log -- --author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'not-author' -d 'Not those by this author; keeps those without an author.' -rfka '(__histctl_custom_completion ---completion log -- --not-author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" no-author' -l 'no-author' -d 'Only those without an author; with --author, those as well.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'bundle' -d 'Only those of this bundle identifier.' -rfka '(__histctl_custom_completion ---completion log -- --bundle (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'process' -d 'Only those of this process.' -rfka '(__histctl_custom_completion ---completion log -- --process (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'entity' -d 'Only those that change an object of this entity or its sub-entities.' -rfka '(__histctl_custom_completion ---completion log -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'exact-entity' -d 'Only those that change an object of exactly this entity.' -rfka '(__histctl_custom_completion ---completion log -- --exact-entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'kind' -d 'Only those with changes of this kind.' -rfka 'insert update delete'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'object' -d 'Only those that change this object, such as Trip/p12.' -rfka '(__histctl_custom_completion ---completion log -- --object (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'attribute' -d 'Only those that updated this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion log -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" n' -s 'n' -d 'Show at most COUNT transactions, the newest ones.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" reverse' -l 'reverse' -d 'Show the oldest first; -n still selects the newest.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" changes' -l 'changes' -d 'Show each change below its transaction.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log"' -l 'value' -d 'Only those that set or removed such a value: name=Rome, also with !=, <, > or ~.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" only-matching' -l 'only-matching' -d 'Hide changes that do not match --entity, --kind, --object, --attribute and --value.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" f follow' -l 'follow' -s 'f' -d 'Show the newest transactions, then each new one as it is saved.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl log" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl show" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl show" -eq 2' -fka '(__histctl_custom_completion ---completion show -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl diff" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl diff" -eq 2' -fka '(__histctl_custom_completion ---completion diff -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl diff" -eq 3' -fka '(__histctl_custom_completion ---completion diff -- positional@2 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" with' -l 'with' -d 'Compare with this copy of the store.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'author' -d 'Only those by this author.' -rfka '(__histctl_custom_completion ---completion diff -- --author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'not-author' -d 'Not those by this author; keeps those without an author.' -rfka '(__histctl_custom_completion ---completion diff -- --not-author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" no-author' -l 'no-author' -d 'Only those without an author; with --author, those as well.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'bundle' -d 'Only those of this bundle identifier.' -rfka '(__histctl_custom_completion ---completion diff -- --bundle (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'process' -d 'Only those of this process.' -rfka '(__histctl_custom_completion ---completion diff -- --process (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'entity' -d 'Only those that change an object of this entity or its sub-entities.' -rfka '(__histctl_custom_completion ---completion diff -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'exact-entity' -d 'Only those that change an object of exactly this entity.' -rfka '(__histctl_custom_completion ---completion diff -- --exact-entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'kind' -d 'Only those with changes of this kind.' -rfka 'insert update delete'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'object' -d 'Only those that change this object, such as Trip/p12.' -rfka '(__histctl_custom_completion ---completion diff -- --object (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff"' -l 'attribute' -d 'Only those that updated this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion diff -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" each' -l 'each' -d 'Show every change in order instead of net changes.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" stat' -l 'stat' -d 'Show the number of changed objects of each entity.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" name-only' -l 'name-only' -d 'Show only the names of the objects.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" values' -l 'values' -d 'With --with, compare the objects of both copies, and show each value that differs.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" exit-code' -l 'exit-code' -d 'End with status 1 if there are differences.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl diff" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl object" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl object" -eq 2' -fka '(__histctl_custom_completion ---completion object -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" after since' -l 'after' -l 'since' -d 'Only those after this token.' -rfka '(__histctl_custom_completion ---completion object -- --after (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" until' -l 'until' -d 'Only those up to and including this token.' -rfka '(__histctl_custom_completion ---completion object -- --until (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" range' -l 'range' -d 'Only those in A..B: after token A up to and including token B.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object"' -l 'author' -d 'Only those by this author.' -rfka '(__histctl_custom_completion ---completion object -- --author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object"' -l 'not-author' -d 'Not those by this author; keeps those without an author.' -rfka '(__histctl_custom_completion ---completion object -- --not-author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" no-author' -l 'no-author' -d 'Only those without an author; with --author, those as well.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object"' -l 'bundle' -d 'Only those of this bundle identifier.' -rfka '(__histctl_custom_completion ---completion object -- --bundle (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object"' -l 'process' -d 'Only those of this process.' -rfka '(__histctl_custom_completion ---completion object -- --process (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object"' -l 'kind' -d 'Only changes of this kind.' -rfka 'insert update delete'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object"' -l 'attribute' -d 'Only updates of this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion object -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl object" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl blame" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl blame" -eq 2' -fka '(__histctl_custom_completion ---completion blame -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" at' -l 'at' -d 'Show the object as it was right after this token.' -rfka '(__histctl_custom_completion ---completion blame -- --at (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame"' -l 'attribute' -d 'Show only this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion blame -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl blame" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl export" -ge 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" stores-from' -l 'stores-from' -d 'Also the stores whose paths FILE lists, by lines or NUL bytes; - is standard input.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" after since' -l 'after' -l 'since' -d 'Only those after this token.' -rfka '(__histctl_custom_completion ---completion export -- --after (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" until' -l 'until' -d 'Only those up to and including this token.' -rfka '(__histctl_custom_completion ---completion export -- --until (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" range' -l 'range' -d 'Only those in A..B: after token A up to and including token B.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'author' -d 'Only those by this author.' -rfka '(__histctl_custom_completion ---completion export -- --author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'not-author' -d 'Not those by this author; keeps those without an author.' -rfka '(__histctl_custom_completion ---completion export -- --not-author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" no-author' -l 'no-author' -d 'Only those without an author; with --author, those as well.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'bundle' -d 'Only those of this bundle identifier.' -rfka '(__histctl_custom_completion ---completion export -- --bundle (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'process' -d 'Only those of this process.' -rfka '(__histctl_custom_completion ---completion export -- --process (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'entity' -d 'Only those that change an object of this entity or its sub-entities.' -rfka '(__histctl_custom_completion ---completion export -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'exact-entity' -d 'Only those that change an object of exactly this entity.' -rfka '(__histctl_custom_completion ---completion export -- --exact-entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'kind' -d 'Only those with changes of this kind.' -rfka 'insert update delete'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'object' -d 'Only those that change this object, such as Trip/p12.' -rfka '(__histctl_custom_completion ---completion export -- --object (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export"' -l 'attribute' -d 'Only those that updated this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion export -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" only-matching' -l 'only-matching' -d 'Leave out changes that do not match the options on changes.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" format' -l 'format' -d 'Format of the records (default: from the file\'s name, else jsonl).' -rfka 'jsonl changes cloudevents debezium csv timesketch bodyfile sqlite'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" fields' -l 'fields' -d 'Only these fields of each record, separated by commas.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" safe-cells' -l 'safe-cells' -d 'Write \' before CSV cells that a spreadsheet would take for a formula.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" with-current' -l 'with-current' -d 'Add to each change the present values of its object, if it exists.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" compress' -l 'compress' -d 'Compression (default: from the file\'s name, zstd in a folder).' -rfka 'none zstd gzip'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" o output' -s 'o' -l 'output' -d 'Write a new file; - is standard output.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" overwrite' -l 'overwrite' -d 'Replace an existing file.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" output-dir' -l 'output-dir' -d 'Write into this folder, to a file named by its range: STORE/FIRST-LAST.jsonl.zst.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" partition' -l 'partition' -d 'Divide the folder into partitions, as Hive names them: store or store,month.' -rfka 'store store,month'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" bookmark' -l 'bookmark' -d 'Start after this bookmark, and move it when the file is safe; with --output-dir.' -rfka '(__histctl_custom_completion ---completion export -- --bookmark (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" lock-wait' -l 'lock-wait' -d 'Time to wait for another export with the same bookmark, such as 10min.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl stats" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" after since' -l 'after' -l 'since' -d 'Only those after this token.' -rfka '(__histctl_custom_completion ---completion stats -- --after (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" until' -l 'until' -d 'Only those up to and including this token.' -rfka '(__histctl_custom_completion ---completion stats -- --until (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" range' -l 'range' -d 'Only those in A..B: after token A up to and including token B.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'author' -d 'Only those by this author.' -rfka '(__histctl_custom_completion ---completion stats -- --author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'not-author' -d 'Not those by this author; keeps those without an author.' -rfka '(__histctl_custom_completion ---completion stats -- --not-author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" no-author' -l 'no-author' -d 'Only those without an author; with --author, those as well.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'bundle' -d 'Only those of this bundle identifier.' -rfka '(__histctl_custom_completion ---completion stats -- --bundle (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'process' -d 'Only those of this process.' -rfka '(__histctl_custom_completion ---completion stats -- --process (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'entity' -d 'Only those that change an object of this entity or its sub-entities.' -rfka '(__histctl_custom_completion ---completion stats -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'exact-entity' -d 'Only those that change an object of exactly this entity.' -rfka '(__histctl_custom_completion ---completion stats -- --exact-entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'kind' -d 'Only those with changes of this kind.' -rfka 'insert update delete'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'object' -d 'Only those that change this object, such as Trip/p12.' -rfka '(__histctl_custom_completion ---completion stats -- --object (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats"' -l 'attribute' -d 'Only those that updated this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion stats -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" by' -l 'by' -d 'List the activity of each hour, day, week or month.' -rfka 'hour day week month'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" top' -l 'top' -d 'List at most COUNT authors, entities and so on.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" until-size' -l 'until-size' -d 'Show when the history will reach this size, such as 100M, at the present rate.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" csv' -l 'csv' -d 'Write CSV, as one table.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" safe-cells' -l 'safe-cells' -d 'In CSV, write \' before texts that a spreadsheet would evaluate as formulas.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl stats" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl report" -ge 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" stores-from' -l 'stores-from' -d 'Also the stores whose paths FILE lists, by lines or NUL bytes; - is standard input.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" after since' -l 'after' -l 'since' -d 'Only those after this token.' -rfka '(__histctl_custom_completion ---completion report -- --after (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" until' -l 'until' -d 'Only those up to and including this token.' -rfka '(__histctl_custom_completion ---completion report -- --until (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" range' -l 'range' -d 'Only those in A..B: after token A up to and including token B.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'author' -d 'Only those by this author.' -rfka '(__histctl_custom_completion ---completion report -- --author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'not-author' -d 'Not those by this author; keeps those without an author.' -rfka '(__histctl_custom_completion ---completion report -- --not-author (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" no-author' -l 'no-author' -d 'Only those without an author; with --author, those as well.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'bundle' -d 'Only those of this bundle identifier.' -rfka '(__histctl_custom_completion ---completion report -- --bundle (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'process' -d 'Only those of this process.' -rfka '(__histctl_custom_completion ---completion report -- --process (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'entity' -d 'Only those that change an object of this entity or its sub-entities.' -rfka '(__histctl_custom_completion ---completion report -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'exact-entity' -d 'Only those that change an object of exactly this entity.' -rfka '(__histctl_custom_completion ---completion report -- --exact-entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'kind' -d 'Only those with changes of this kind.' -rfka 'insert update delete'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'object' -d 'Only those that change this object, such as Trip/p12.' -rfka '(__histctl_custom_completion ---completion report -- --object (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'attribute' -d 'Only those that updated this attribute or relationship.' -rfka '(__histctl_custom_completion ---completion report -- --attribute (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report"' -l 'value' -d 'Only those that set or removed such a value: name=Rome, also with !=, <, > or ~.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" o output' -s 'o' -l 'output' -d 'Write a new file; - is standard output.' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'html\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" overwrite' -l 'overwrite' -d 'Replace an existing file.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" open' -l 'open' -d 'Open the page in a browser, where there is a desktop.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" title' -l 'title' -d 'The title of the page.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" max-transactions' -l 'max-transactions' -d 'List the changes of at most COUNT transactions of each store, the newest ones.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" redact' -l 'redact' -d 'Leave out values and tombstones.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" reproducible' -l 'reproducible' -d 'Leave out the time of writing, so that equal input gives equal bytes.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl report" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl find" -ge 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" apps' -l 'apps' -d 'Search the usual places of apps and simulators in the home folder.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" with-history' -l 'with-history' -d 'Leave out stores that keep no history.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" changed-after' -l 'changed-after' -d 'Only stores whose newest transaction is at or after TIME.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" max-member' -l 'max-member' -d 'Skip members of more than SIZE (default 1G).' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" max-unpacked' -l 'max-unpacked' -d 'Unpack at most SIZE of one archive (default 16G).' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" 0 null' -s '0' -l 'null' -d 'Write only paths, each followed by a NUL byte; leave out stores in archives.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl find" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl archive" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl archive" -eq 2' -fa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" before' -l 'before' -d 'Seal only what was saved before this token.' -rfka '(__histctl_custom_completion ---completion archive -- --before (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" segment-size' -l 'segment-size' -d 'Size of a segment before compression, such as 64M.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" lock-wait' -l 'lock-wait' -d 'Maximum time to wait for another program that uses the archive, such as 10min.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" allow-gap' -l 'allow-gap' -d 'Seal although history between the archive and the store is missing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive"' -l 'ignore-guard' -d 'Ignore this guard: damage, which stops the command if the store shows any.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" dry-run n' -s 'n' -l 'dry-run' -d 'Show what would be sealed, and seal nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl archive" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl forget" -eq 1' -fa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" store-identifier' -l 'store-identifier' -d 'The only store to work on, in an archive of several.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" before' -l 'before' -d 'Delete transactions before this token, and keep its own.' -rfka '(__histctl_custom_completion ---completion forget -- --before (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" keep-within' -l 'keep-within' -d 'Keep transactions of this time, such as 30d.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" keep-last' -l 'keep-last' -d 'Keep the newest COUNT transactions.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget"' -l 'bookmark-file' -d 'Ask the bookmarks of this file too, not only DIR-bookmarks.json; may be repeated.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget"' -l 'ignore-guard' -d 'Ignore this guard: bookmarks, or one bookmark as @name.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" merge' -l 'merge' -d 'Merge small segments, up to the size of a segment.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" segment-size' -l 'segment-size' -d 'Size of a segment before compression, such as 64M.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" lock-wait' -l 'lock-wait' -d 'Maximum time to wait for another program that uses the archive, such as 10min.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" dry-run n' -s 'n' -l 'dry-run' -d 'Show what would be deleted, and change nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" y yes' -l 'yes' -s 'y' -d 'Delete without asking.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl forget" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl prune" -ge 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" stores-from' -l 'stores-from' -d 'Also the stores whose paths FILE lists, by lines or NUL bytes; - is standard input.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" before' -l 'before' -d 'Delete transactions before this token, and keep its own.' -rfka '(__histctl_custom_completion ---completion prune -- --before (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" keep-within' -l 'keep-within' -d 'Keep transactions of this time, such as 30d.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" keep-last' -l 'keep-last' -d 'Keep the newest COUNT transactions.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" max-size' -l 'max-size' -d 'Keep the newest transactions up to this size, such as 50M.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" all' -l 'all' -d 'Delete even the newest transaction, which expires every token.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" entity' -l 'entity' -d 'Delete only the changes of an entity that has left the model.' -rfka '(__histctl_custom_completion ---completion prune -- --entity (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" if-larger' -l 'if-larger' -d 'Delete only if the history is larger than this.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" max-behind' -l 'max-behind' -d 'Let bookmarks expire that are further behind: 30d, or a number of transactions.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune"' -l 'ignore-guard' -d 'Ignore this guard: mirroring, archive, bookmarks, damage, or one bookmark as @name.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" archive' -l 'archive' -d 'Seal history in this archive before deleting it.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" segment-size' -l 'segment-size' -d 'Size of a segment before compression, such as 64M.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" lock-wait' -l 'lock-wait' -d 'Maximum time to wait for another program that uses the archive, such as 10min.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" allow-gap' -l 'allow-gap' -d 'Seal although history between the archive and the store is missing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" no-values' -l 'no-values' -d 'Do not keep old and new values from the log in STORE-values.db.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune"' -l 'check-token' -d 'Show what becomes of this token; may be repeated.' -rfka '(__histctl_custom_completion ---completion prune -- --check-token (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" dry-run n' -s 'n' -l 'dry-run' -d 'Show what would be deleted, and delete nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" y yes' -l 'yes' -s 'y' -d 'Delete without asking.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl prune" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl restore" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl restore" -eq 2' -fa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" from' -l 'from' -d 'Restore only as far back as this token, which then works again.' -rfka '(__histctl_custom_completion ---completion restore -- --from (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore"' -l 'ignore-guard' -d 'Ignore this guard: mirroring or damage.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" dry-run n' -s 'n' -l 'dry-run' -d 'Show what would be restored, and restore nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" y yes' -l 'yes' -s 'y' -d 'Restore without asking.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" lock-wait' -l 'lock-wait' -d 'Time to wait for another program that uses the archive, such as 10min.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" no-values' -l 'no-values' -d 'Restore no old and new values, and keep none from the log.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl compact" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" full' -l 'full' -d 'Rebuild the whole store; no other program may have it open.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" dry-run n' -s 'n' -l 'dry-run' -d 'Show how much can be freed, and change nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" no-values' -l 'no-values' -d 'Do not keep old and new values from the log in STORE-values.db.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact"' -l 'ignore-guard' -d 'Ignore this guard: damage, which stops the command if the store shows any.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl compact" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" config' -l 'config' -d 'The config file.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain"' -l 'only' -d 'Maintain only this section or this store; may be repeated.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" check-config' -l 'check-config' -d 'Show what the file asks for, or all its mistakes, and change nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" dry-run n' -s 'n' -l 'dry-run' -d 'Show what would be done, and change nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" lock-wait' -l 'lock-wait' -d 'Time to wait for another run on the same store, such as 10min.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" no-values' -l 'no-values' -d 'Do not keep old and new values from the log in STORE-values.db.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain"' -l 'ignore-guard' -d 'Ignore this guard: damage, which stops the command if the store shows any.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl maintain" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl check" -ge 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" stores-from' -l 'stores-from' -d 'Also the stores whose paths FILE lists, by lines or NUL bytes; - is standard input.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" max-size' -l 'max-size' -d 'Maximum size of the history, such as 50M.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" max-age' -l 'max-age' -d 'Maximum age of the oldest transaction, such as 90d.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" min-headroom' -l 'min-headroom' -d 'Minimum time until a bookmark expires, such as 7d; with --keep-within or --keep-last.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" max-behind' -l 'max-behind' -d 'Report bookmarks that are farther behind: a duration, such as 30d, or a number of transactions.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" keep-within' -l 'keep-within' -d 'Show when bookmarks would expire if history were kept for this duration.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" keep-last' -l 'keep-last' -d 'Show when bookmarks would expire if COUNT transactions were kept.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" prometheus' -l 'prometheus' -d 'Write metrics in Prometheus\' text format.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl verify" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" bookmark-file' -l 'bookmark-file' -d 'Read the store\'s bookmarks from this file instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" full' -l 'full' -d 'Check the pages of all tables of a store, and decode all lines of an archive.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" archive' -l 'archive' -d 'Verify this archive of the store too, and that the store continues it.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" anchor' -l 'anchor' -d 'The head that histctl archive printed; later segments must follow it.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" subset' -l 'subset' -d 'Read only part of an archive\'s segments in full: 1/7, 5% or 10M.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" limit' -l 'limit' -d 'List at most COUNT findings of each kind (all are counted).' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl verify" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl token" -eq 1' -fa 'check' -d 'Check whether tokens work with a store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl token" -eq 1' -fa 'show' -d 'Show a token in all its forms, or convert it to one of them.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl token check" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" archive' -l 'archive' -d 'Read history that the store has pruned from this archive.' -rfa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" store-identifier' -l 'store-identifier' -d 'The store to read, if an archive of several is given.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl token check" -ge 2' -fka '(__histctl_custom_completion ---completion token check -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl token show" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl token show" -eq 2' -fka '(__histctl_custom_completion ---completion token show -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" as' -l 'as' -d 'Write only this form.' -rfka 'number portable json plist'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl token show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark" -eq 1' -fa 'set' -d 'Keep a token under the name of its consumer.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark" -eq 1' -fa 'list' -d 'List the bookmarks of a store, and how far behind their consumers are.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark" -eq 1' -fa 'check' -d 'Check whether bookmarks work and their consumers keep up.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark" -eq 1' -fa 'remove' -d 'Remove bookmarks.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark set" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark set" -eq 2' -fka '(__histctl_custom_completion ---completion bookmark set -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark set" -eq 3' -fka '(__histctl_custom_completion ---completion bookmark set -- positional@2 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" force' -l 'force' -d 'Move it back, or replace a bookmark of another store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark set" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark list" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" max-behind' -l 'max-behind' -d 'Report bookmarks that are farther behind: a duration, such as 30d, or a number of transactions.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" keep-within' -l 'keep-within' -d 'Show when bookmarks would expire if history were kept for this duration.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" keep-last' -l 'keep-last' -d 'Show when bookmarks would expire if COUNT transactions were kept.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark check" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark check" -ge 2' -fka '(__histctl_custom_completion ---completion bookmark check -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" max-behind' -l 'max-behind' -d 'Report bookmarks that are farther behind: a duration, such as 30d, or a number of transactions.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" keep-within' -l 'keep-within' -d 'Show when bookmarks would expire if history were kept for this duration.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" keep-last' -l 'keep-last' -d 'Show when bookmarks would expire if COUNT transactions were kept.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark remove" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl bookmark remove" -ge 2' -fka '(__histctl_custom_completion ---completion bookmark remove -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl bookmark remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl rehearse" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl rehearse" -eq 2' -fka '(__histctl_custom_completion ---completion rehearse -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse"' -l 'expire' -d 'Let exactly this token expire; may be repeated.' -rfka '(__histctl_custom_completion ---completion rehearse -- --expire (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" o output' -s 'o' -l 'output' -d 'The file to write the copy to.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" overwrite' -l 'overwrite' -d 'Replace an existing store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse"' -l 'check-token' -d 'Show what becomes of this token in the copy; may be repeated.' -rfka '(__histctl_custom_completion ---completion rehearse -- --check-token (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" no-values' -l 'no-values' -d 'Do not show old and new values.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" values-file' -l 'values-file' -d 'Read recorded values from this file, not STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl rehearse" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl snapshot" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl snapshot" -eq 2' -fka '(__histctl_custom_completion ---completion snapshot -- positional@1 (count (__histctl_tokens -pc)) (__histctl_tokens -tC))'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" o output' -s 'o' -l 'output' -d 'The file to write the copy to.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" overwrite' -l 'overwrite' -d 'Replace an existing store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl snapshot" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl scrub" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" bookmark-file' -l 'bookmark-file' -d 'Use this file of bookmarks instead of STORE-bookmarks.json.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" o output' -s 'o' -l 'output' -d 'The file to write the copy to.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" overwrite' -l 'overwrite' -d 'Replace an existing store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" authors' -l 'authors' -d 'Replace authors, bundles and processes too.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" key' -l 'key' -d 'Scrub with the key in this file, which is created if missing.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" dry-run n' -s 'n' -l 'dry-run' -d 'Show what would be kept, and write nothing.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" y yes' -l 'yes' -s 'y' -d 'Write without asking.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl scrub" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl record" -eq 1' -F
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" once' -l 'once' -d 'Keep what the log holds now, and end.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" values-file' -l 'values-file' -d 'Keep values in this file, not in STORE-values.db.' -rF
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" busy-timeout' -l 'busy-timeout' -d 'Seconds to wait for a locked store.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl record" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_positional "histctl demo" -eq 1' -fa '(__histctl_complete_directories)'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" overwrite' -l 'overwrite' -d 'Replace an existing store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" ending' -l 'ending' -d 'The last day of the history.' -rfka ''
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" json' -l 'json' -d 'Write JSON, one object a line, also for errors.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" qualified' -l 'qualified' -d 'Write tokens with the identifier of the store.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" date' -l 'date' -d 'How to write times.' -rfka 'local utc relative raw'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" color' -l 'color' -d 'When to use colour.' -rfka 'auto always never'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" no-pager' -l 'no-pager' -d 'Do not show long output through a pager.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" q quiet' -l 'quiet' -s 'q' -d 'Write only errors to standard error.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" version' -l 'version' -d 'Show the version.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl demo" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'histctl' -n '__histctl_should_offer_completions_for_flags_or_options "histctl help" version' -l 'version' -d 'Show the version.'
