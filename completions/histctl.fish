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
        case 'histctl'
            set commands info log show diff object export stats archive prune restore compact maintain check verify token bookmark rehearse demo
            set valued 
            set store_position 0
        case 'histctl info'
            set commands 
            set valued --bookmark-file --busy-timeout --values-file --entity --date --color
            set store_position 1
        case 'histctl log'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --store-identifier --since --after --until --author --not-author --bundle --process --entity --exact-entity --kind --object --attribute -n --values-file --date --color
            set store_position 1
        case 'histctl show'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --store-identifier --values-file --date --color
            set store_position 1
        case 'histctl diff'
            set commands 
            set valued --bookmark-file --busy-timeout --with --archive --store-identifier --author --not-author --bundle --process --entity --exact-entity --kind --object --attribute --values-file --date --color
            set store_position 1
        case 'histctl object'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --store-identifier --since --after --until --author --not-author --bundle --process --kind --attribute --values-file --date --color
            set store_position 1
        case 'histctl export'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --store-identifier --since --after --until --author --not-author --bundle --process --entity --exact-entity --kind --object --attribute --values-file --format --fields --compress -o --output --output-dir --bookmark --lock-wait --date --color
            set store_position 1
        case 'histctl stats'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --store-identifier --since --after --until --author --not-author --bundle --process --entity --exact-entity --kind --object --attribute --by --top --until-size --date --color
            set store_position 1
        case 'histctl archive'
            set commands 
            set valued --bookmark-file --busy-timeout --before --segment-size --lock-wait --values-file --ignore-guard --date --color
            set store_position 1
        case 'histctl prune'
            set commands 
            set valued --bookmark-file --busy-timeout --before --keep-within --keep-last --max-size --entity --if-larger --max-behind --ignore-guard --archive --segment-size --lock-wait --check-token --date --color
            set store_position 1
        case 'histctl restore'
            set commands 
            set valued --bookmark-file --busy-timeout --from --ignore-guard --lock-wait --date --color
            set store_position 1
        case 'histctl compact'
            set commands 
            set valued --bookmark-file --busy-timeout --ignore-guard --date --color
            set store_position 1
        case 'histctl maintain'
            set commands 
            set valued --config --only --lock-wait --ignore-guard --date --color
            set store_position 0
        case 'histctl check'
            set commands 
            set valued --bookmark-file --busy-timeout --max-size --max-age --min-headroom --max-behind --keep-within --keep-last --date --color
            set store_position 1
        case 'histctl verify'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --anchor --subset --limit --date --color
            set store_position 0
        case 'histctl token'
            set commands check show
            set valued 
            set store_position 0
        case 'histctl token check'
            set commands 
            set valued --bookmark-file --busy-timeout --archive --store-identifier --date --color
            set store_position 1
        case 'histctl token show'
            set commands 
            set valued --bookmark-file --busy-timeout --as --date --color
            set store_position 1
        case 'histctl bookmark'
            set commands set list check remove
            set valued 
            set store_position 0
        case 'histctl bookmark set'
            set commands 
            set valued --bookmark-file --busy-timeout --date --color
            set store_position 1
        case 'histctl bookmark list'
            set commands 
            set valued --bookmark-file --busy-timeout --max-behind --keep-within --keep-last --date --color
            set store_position 1
        case 'histctl bookmark check'
            set commands 
            set valued --bookmark-file --busy-timeout --max-behind --keep-within --keep-last --date --color
            set store_position 1
        case 'histctl bookmark remove'
            set commands 
            set valued --bookmark-file --busy-timeout --date --color
            set store_position 1
        case 'histctl rehearse'
            set commands 
            set valued --bookmark-file --busy-timeout --expire -o --output --check-token --values-file --date --color
            set store_position 1
        case 'histctl demo'
            set commands 
            set valued --ending --date --color
            set store_position 0
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

complete -c histctl -n '__histctl_at \'histctl\'' -a info -d 'Say what a store is and what its history holds'
complete -c histctl -n '__histctl_at \'histctl\'' -a log -d 'List transactions, newest first'
complete -c histctl -n '__histctl_at \'histctl\'' -a show -d 'Show one transaction in full'
complete -c histctl -n '__histctl_at \'histctl\'' -a diff -d 'Show what happened to each object between two positions'
complete -c histctl -n '__histctl_at \'histctl\'' -a object -d 'Show the life of one object, and what it is now'
complete -c histctl -n '__histctl_at \'histctl\'' -a export -d 'Export transactions, oldest first, as records for other programs'
complete -c histctl -n '__histctl_at \'histctl\'' -a stats -d 'Show who saved how much, and when'
complete -c histctl -n '__histctl_at \'histctl\'' -a archive -d 'Seal history in an archive that any program can read'
complete -c histctl -n '__histctl_at \'histctl\'' -a prune -d 'Delete the beginning of a history'
complete -c histctl -n '__histctl_at \'histctl\'' -a restore -d 'Put sealed history back into its store'
complete -c histctl -n '__histctl_at \'histctl\'' -a compact -d 'Return free pages of a store to the file system'
complete -c histctl -n '__histctl_at \'histctl\'' -a maintain -d 'Export, prune and compact many stores, as a config file says'
complete -c histctl -n '__histctl_at \'histctl\'' -a check -d 'Say whether histories stay within limits, for monitoring'
complete -c histctl -n '__histctl_at \'histctl\'' -a verify -d 'Look for damage and oddities in a store\'s history or in an archive'
complete -c histctl -n '__histctl_at \'histctl\'' -a token -d 'Say what a token means and whether it works'
complete -c histctl -n '__histctl_at \'histctl\'' -a bookmark -d 'Keep tokens under names, and say how far behind their consumers are'
complete -c histctl -n '__histctl_at \'histctl\'' -a rehearse -d 'Copy a store so that tokens are expired in the copy, to test an app\'s handling of it'
complete -c histctl -n '__histctl_at \'histctl\'' -a demo -d 'Write a sample store with a lively history, and say what to try on it'
complete -c histctl -n '__histctl_at \'histctl\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl\'' -l help -d 'Show help information'

complete -c histctl -n '__histctl_at \'histctl info\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl info\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl info\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl info\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl info\'' -l all -d 'List all entities, authors, bundles and processes, not only the first 20'
complete -c histctl -n '__histctl_at \'histctl info\'' -l model -d 'List what the model says instead: entities, attributes and relationships'
complete -c histctl -n '__histctl_at \'histctl info\'' -l entity -x -k -a '(__histctl_ask entity)' -d 'With --model, only this entity'
complete -c histctl -n '__histctl_at \'histctl info\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl info\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl info\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl info\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl info\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl info\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl info\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl info\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl info\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl info\' 1' -F

complete -c histctl -n '__histctl_at \'histctl log\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl log\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl log\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl log\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl log\'' -l since -x -k -a '(__histctl_ask token)' -d 'Only transactions after this token'
complete -c histctl -n '__histctl_at \'histctl log\'' -l after -x -k -a '(__histctl_ask token)' -d 'Only transactions after this token'
complete -c histctl -n '__histctl_at \'histctl log\'' -l until -x -k -a '(__histctl_ask token)' -d 'Only transactions up to and including this token'
complete -c histctl -n '__histctl_at \'histctl log\'' -l author -x -k -a '(__histctl_ask author)' -d 'Only those by this author'
complete -c histctl -n '__histctl_at \'histctl log\'' -l not-author -x -k -a '(__histctl_ask author)' -d 'None by this author; those without an author stay'
complete -c histctl -n '__histctl_at \'histctl log\'' -l no-author -d 'Only those without an author; with --author, those too'
complete -c histctl -n '__histctl_at \'histctl log\'' -l bundle -x -k -a '(__histctl_ask bundle)' -d 'Only those of this bundle identifier'
complete -c histctl -n '__histctl_at \'histctl log\'' -l process -x -k -a '(__histctl_ask process)' -d 'Only those of this process'
complete -c histctl -n '__histctl_at \'histctl log\'' -l entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of this entity or its sub-entities'
complete -c histctl -n '__histctl_at \'histctl log\'' -l exact-entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of exactly this entity'
complete -c histctl -n '__histctl_at \'histctl log\'' -l kind -x -a 'insert update delete' -d 'Only those of this kind'
complete -c histctl -n '__histctl_at \'histctl log\'' -l object -x -k -a '(__histctl_ask object)' -d 'Only those that concern this object, such as Trip/p12'
complete -c histctl -n '__histctl_at \'histctl log\'' -l attribute -x -k -a '(__histctl_ask attribute)' -d 'Only those that updated this attribute or relationship'
complete -c histctl -n '__histctl_at \'histctl log\'' -s n -x -d 'Show at most COUNT transactions, the newest'
complete -c histctl -n '__histctl_at \'histctl log\'' -l reverse -d 'Oldest first; with -n still the newest ones'
complete -c histctl -n '__histctl_at \'histctl log\'' -l changes -d 'Show each change below its transaction'
complete -c histctl -n '__histctl_at \'histctl log\'' -l only-matching -d 'Leave out changes that do not match the options on changes'
complete -c histctl -n '__histctl_at \'histctl log\'' -s f -d 'Show the newest transactions, then each one as it is saved'
complete -c histctl -n '__histctl_at \'histctl log\'' -l follow -d 'Show the newest transactions, then each one as it is saved'
complete -c histctl -n '__histctl_at \'histctl log\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl log\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl log\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl log\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl log\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl log\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl log\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl log\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl log\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl log\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl log\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl log\' 1' -F

complete -c histctl -n '__histctl_at \'histctl show\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl show\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl show\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl show\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl show\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl show\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl show\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl show\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl show\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl show\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl show\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl show\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl show\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl show\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl show\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl show\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl show\' 2' -k -a '(__histctl_ask token)'

complete -c histctl -n '__histctl_at \'histctl diff\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l with -r -F -d 'Compare with this copy of the store instead'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l author -x -k -a '(__histctl_ask author)' -d 'Only those by this author'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l not-author -x -k -a '(__histctl_ask author)' -d 'None by this author; those without an author stay'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l no-author -d 'Only those without an author; with --author, those too'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l bundle -x -k -a '(__histctl_ask bundle)' -d 'Only those of this bundle identifier'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l process -x -k -a '(__histctl_ask process)' -d 'Only those of this process'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of this entity or its sub-entities'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l exact-entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of exactly this entity'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l kind -x -a 'insert update delete' -d 'Only those of this kind'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l object -x -k -a '(__histctl_ask object)' -d 'Only those that concern this object, such as Trip/p12'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l attribute -x -k -a '(__histctl_ask attribute)' -d 'Only those that updated this attribute or relationship'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l each -d 'Show every change in order instead of what they come to'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l stat -d 'Show how many objects of each entity were changed'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l name-only -d 'Show the names of the objects alone'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l exit-code -d 'End with 1 where there are differences'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl diff\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl diff\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl diff\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl diff\' 2' -k -a '(__histctl_ask token)'
complete -c histctl -n '__histctl_argument \'histctl diff\' 3' -k -a '(__histctl_ask token)'

complete -c histctl -n '__histctl_at \'histctl object\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl object\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl object\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl object\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl object\'' -l since -x -k -a '(__histctl_ask token)' -d 'Only changes after this token'
complete -c histctl -n '__histctl_at \'histctl object\'' -l after -x -k -a '(__histctl_ask token)' -d 'Only changes after this token'
complete -c histctl -n '__histctl_at \'histctl object\'' -l until -x -k -a '(__histctl_ask token)' -d 'Only changes up to and including this token'
complete -c histctl -n '__histctl_at \'histctl object\'' -l author -x -k -a '(__histctl_ask author)' -d 'Only those by this author'
complete -c histctl -n '__histctl_at \'histctl object\'' -l not-author -x -k -a '(__histctl_ask author)' -d 'None by this author; those without an author stay'
complete -c histctl -n '__histctl_at \'histctl object\'' -l no-author -d 'Only those without an author; with --author, those too'
complete -c histctl -n '__histctl_at \'histctl object\'' -l bundle -x -k -a '(__histctl_ask bundle)' -d 'Only those of this bundle identifier'
complete -c histctl -n '__histctl_at \'histctl object\'' -l process -x -k -a '(__histctl_ask process)' -d 'Only those of this process'
complete -c histctl -n '__histctl_at \'histctl object\'' -l kind -x -a 'insert update delete' -d 'Only changes of this kind'
complete -c histctl -n '__histctl_at \'histctl object\'' -l attribute -x -k -a '(__histctl_ask attribute)' -d 'Only updates of this attribute or relationship'
complete -c histctl -n '__histctl_at \'histctl object\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl object\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl object\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl object\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl object\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl object\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl object\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl object\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl object\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl object\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl object\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl object\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl object\' 2' -k -a '(__histctl_ask object)'

complete -c histctl -n '__histctl_at \'histctl export\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl export\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl export\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl export\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl export\'' -l since -x -k -a '(__histctl_ask token)' -d 'Only transactions after this token'
complete -c histctl -n '__histctl_at \'histctl export\'' -l after -x -k -a '(__histctl_ask token)' -d 'Only transactions after this token'
complete -c histctl -n '__histctl_at \'histctl export\'' -l until -x -k -a '(__histctl_ask token)' -d 'Only transactions up to and including this token'
complete -c histctl -n '__histctl_at \'histctl export\'' -l author -x -k -a '(__histctl_ask author)' -d 'Only those by this author'
complete -c histctl -n '__histctl_at \'histctl export\'' -l not-author -x -k -a '(__histctl_ask author)' -d 'None by this author; those without an author stay'
complete -c histctl -n '__histctl_at \'histctl export\'' -l no-author -d 'Only those without an author; with --author, those too'
complete -c histctl -n '__histctl_at \'histctl export\'' -l bundle -x -k -a '(__histctl_ask bundle)' -d 'Only those of this bundle identifier'
complete -c histctl -n '__histctl_at \'histctl export\'' -l process -x -k -a '(__histctl_ask process)' -d 'Only those of this process'
complete -c histctl -n '__histctl_at \'histctl export\'' -l entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of this entity or its sub-entities'
complete -c histctl -n '__histctl_at \'histctl export\'' -l exact-entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of exactly this entity'
complete -c histctl -n '__histctl_at \'histctl export\'' -l kind -x -a 'insert update delete' -d 'Only those of this kind'
complete -c histctl -n '__histctl_at \'histctl export\'' -l object -x -k -a '(__histctl_ask object)' -d 'Only those that concern this object, such as Trip/p12'
complete -c histctl -n '__histctl_at \'histctl export\'' -l attribute -x -k -a '(__histctl_ask attribute)' -d 'Only those that updated this attribute or relationship'
complete -c histctl -n '__histctl_at \'histctl export\'' -l only-matching -d 'Leave out changes that do not match the options on changes'
complete -c histctl -n '__histctl_at \'histctl export\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl export\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl export\'' -l format -x -a 'jsonl changes cloudevents debezium csv' -d 'Format of the records (default: from the file\'s name, else jsonl)'
complete -c histctl -n '__histctl_at \'histctl export\'' -l fields -x -d 'Only these fields of each record, separated by commas'
complete -c histctl -n '__histctl_at \'histctl export\'' -l safe-cells -d 'Write \' before CSV cells that a spreadsheet would take for a formula'
complete -c histctl -n '__histctl_at \'histctl export\'' -l with-current -d 'Add to each change the present values of its object, if it exists'
complete -c histctl -n '__histctl_at \'histctl export\'' -l compress -x -a 'none zstd gzip' -d 'Compression (default: from the file\'s name, zstd in a folder)'
complete -c histctl -n '__histctl_at \'histctl export\'' -s o -r -F -d 'Write a new file; - is standard output'
complete -c histctl -n '__histctl_at \'histctl export\'' -l output -r -F -d 'Write a new file; - is standard output'
complete -c histctl -n '__histctl_at \'histctl export\'' -l overwrite -d 'Replace an existing file'
complete -c histctl -n '__histctl_at \'histctl export\'' -l output-dir -x -a '(__fish_complete_directories (commandline -ct))' -d 'Write into this folder, to a file named by its range: STORE/FIRST-LAST.jsonl.zst'
complete -c histctl -n '__histctl_at \'histctl export\'' -l bookmark -x -d 'Start after this bookmark, and move it when the file is safe; with --output-dir'
complete -c histctl -n '__histctl_at \'histctl export\'' -l lock-wait -x -d 'Time to wait for another export with the same bookmark, such as 10min'
complete -c histctl -n '__histctl_at \'histctl export\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl export\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl export\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl export\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl export\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl export\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl export\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl export\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl export\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl export\' 1' -F

complete -c histctl -n '__histctl_at \'histctl stats\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l since -x -k -a '(__histctl_ask token)' -d 'Only transactions after this token'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l after -x -k -a '(__histctl_ask token)' -d 'Only transactions after this token'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l until -x -k -a '(__histctl_ask token)' -d 'Only transactions up to and including this token'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l author -x -k -a '(__histctl_ask author)' -d 'Only those by this author'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l not-author -x -k -a '(__histctl_ask author)' -d 'None by this author; those without an author stay'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l no-author -d 'Only those without an author; with --author, those too'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l bundle -x -k -a '(__histctl_ask bundle)' -d 'Only those of this bundle identifier'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l process -x -k -a '(__histctl_ask process)' -d 'Only those of this process'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of this entity or its sub-entities'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l exact-entity -x -k -a '(__histctl_ask entity)' -d 'Only those that concern an object of exactly this entity'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l kind -x -a 'insert update delete' -d 'Only those of this kind'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l object -x -k -a '(__histctl_ask object)' -d 'Only those that concern this object, such as Trip/p12'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l attribute -x -k -a '(__histctl_ask attribute)' -d 'Only those that updated this attribute or relationship'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l by -x -a 'hour day week month' -d 'List the activity of each of these periods'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l top -x -d 'List at most COUNT authors, entities and the like'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l until-size -x -d 'Say when history will have this size, such as 100M, if it goes on as at present'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l csv -d 'Write one table of comma-separated values'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l safe-cells -d 'Write \' before texts in CSV that a spreadsheet would take for a formula'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl stats\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl stats\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl stats\' 1' -F

complete -c histctl -n '__histctl_at \'histctl archive\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l before -x -k -a '(__histctl_ask token)' -d 'Seal only what was saved before this token'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l segment-size -x -d 'Size of a segment\'s text before compression, such as 64M'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l allow-gap -d 'Seal although history between the archive and the store is gone'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l lock-wait -x -d 'Time to wait for another program that uses the archive, such as 10min'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l ignore-guard -x -d 'Ignore this guard: damage, which stops the command where the store shows any'
complete -c histctl -n '__histctl_at \'histctl archive\'' -s n -d 'Show what would be sealed, and seal nothing'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l dry-run -d 'Show what would be sealed, and seal nothing'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl archive\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl archive\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl archive\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl archive\' 2' -a '(__fish_complete_directories (commandline -ct))'

complete -c histctl -n '__histctl_at \'histctl prune\'' -l bookmark-file -r -F -d 'Read bookmarks from this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l before -x -k -a '(__histctl_ask token)' -d 'Delete what was saved before this token, which itself stays'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l keep-within -x -d 'Keep what was saved within this time, such as 30d'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l keep-last -x -d 'Keep the newest COUNT transactions'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l max-size -x -d 'Keep the newest transactions that fit into this size, such as 50M'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l all -d 'Delete even the newest transaction, which expires every token'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l entity -x -k -a '(__histctl_ask entity)' -d 'Delete the changes of an entity that has left the model, and keep the transactions'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l if-larger -x -d 'Delete only if the history is larger than this'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l max-behind -x -d 'Let bookmarks expire that are further behind: 30d, or a number of transactions'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l ignore-guard -x -d 'Ignore this guard: mirroring, archive, bookmarks, damage, or one bookmark as @name'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Seal history in this archive before deleting it'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l segment-size -x -d 'Size of a segment\'s text before compression, such as 64M'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l allow-gap -d 'Seal although history between the archive and the store is gone'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l lock-wait -x -d 'Time to wait for another program that uses the archive, such as 10min'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l check-token -x -k -a '(__histctl_ask token)' -d 'Show what becomes of this token; may be repeated'
complete -c histctl -n '__histctl_at \'histctl prune\'' -s n -d 'Show what would be deleted, and delete nothing'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l dry-run -d 'Show what would be deleted, and delete nothing'
complete -c histctl -n '__histctl_at \'histctl prune\'' -s y -d 'Delete without asking'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l yes -d 'Delete without asking'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl prune\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl prune\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl prune\' 1 repeating' -F

complete -c histctl -n '__histctl_at \'histctl restore\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l from -x -k -a '(__histctl_ask token)' -d 'Restore only as far back as this token, which then works again'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l ignore-guard -x -d 'Ignore this guard: mirroring or damage'
complete -c histctl -n '__histctl_at \'histctl restore\'' -s n -d 'Show what would be restored, and restore nothing'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l dry-run -d 'Show what would be restored, and restore nothing'
complete -c histctl -n '__histctl_at \'histctl restore\'' -s y -d 'Restore without asking'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l yes -d 'Restore without asking'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l lock-wait -x -d 'Time to wait for another program that uses the archive, such as 10min'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l no-values -d 'Leave out old and new values of updates that were sealed with them'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl restore\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl restore\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl restore\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl restore\' 2' -a '(__fish_complete_directories (commandline -ct))'

complete -c histctl -n '__histctl_at \'histctl compact\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l full -d 'Rebuild the whole store; no other program may have it open'
complete -c histctl -n '__histctl_at \'histctl compact\'' -s n -d 'Show how much can be freed, and change nothing'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l dry-run -d 'Show how much can be freed, and change nothing'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l ignore-guard -x -d 'Ignore this guard: damage, which stops the command where the store shows any'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl compact\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl compact\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl compact\' 1' -F

complete -c histctl -n '__histctl_at \'histctl maintain\'' -l config -r -F -d 'The config file'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l only -x -d 'Maintain only this section or this store; may be repeated'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l check-config -d 'Show what the file asks for, or all its mistakes, and change nothing'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -s n -d 'Show what would be done, and change nothing'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l dry-run -d 'Show what would be done, and change nothing'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l lock-wait -x -d 'Time to wait for another run on the same store, such as 10min'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l ignore-guard -x -d 'Ignore this guard: damage, which stops the command where the store shows any'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl maintain\'' -l help -d 'Show help information'

complete -c histctl -n '__histctl_at \'histctl check\'' -l bookmark-file -r -F -d 'Read bookmarks from this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl check\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl check\'' -l max-size -x -d 'The history may be as large as this, such as 50M'
complete -c histctl -n '__histctl_at \'histctl check\'' -l max-age -x -d 'The oldest transaction may be as old as this, such as 90d'
complete -c histctl -n '__histctl_at \'histctl check\'' -l min-headroom -x -d 'Minimum time until a bookmark expires, such as 7d; with --keep-within or --keep-last'
complete -c histctl -n '__histctl_at \'histctl check\'' -l max-behind -x -d 'Report bookmarks that are farther behind: a duration, such as 30d, or a number of transactions'
complete -c histctl -n '__histctl_at \'histctl check\'' -l keep-within -x -d 'Show when bookmarks would expire if history were kept for this duration'
complete -c histctl -n '__histctl_at \'histctl check\'' -l keep-last -x -d 'Show when bookmarks would expire if COUNT transactions were kept'
complete -c histctl -n '__histctl_at \'histctl check\'' -l prometheus -d 'Write metrics in Prometheus\' text format'
complete -c histctl -n '__histctl_at \'histctl check\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl check\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl check\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl check\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl check\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl check\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl check\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl check\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl check\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl check\' 1 repeating' -F

complete -c histctl -n '__histctl_at \'histctl verify\'' -l bookmark-file -r -F -d 'Read a store\'s bookmarks from this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l full -d 'Check the pages of all tables of a store, and decode all lines of an archive'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Verify this archive of the store too, and that the store goes on where it ends'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l anchor -x -d 'The head that archive printed: what was sealed then must still be there'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l subset -x -d 'Read only a part of an archive\'s segments in full: 1/7, 5% or 10M'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l limit -x -d 'List at most COUNT findings of each kind; all are counted'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl verify\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl verify\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl verify\' 1' -F

complete -c histctl -n '__histctl_at \'histctl token\'' -a check -d 'Say whether tokens work with a store'
complete -c histctl -n '__histctl_at \'histctl token\'' -a show -d 'Show a token in all its forms, or convert it to one'
complete -c histctl -n '__histctl_at \'histctl token\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl token\'' -l help -d 'Show help information'

complete -c histctl -n '__histctl_at \'histctl token check\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l archive -x -a '(__fish_complete_directories (commandline -ct))' -d 'Read what the store does not keep any more from this archive'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l store-identifier -x -d 'The store that is meant, where an archive of several takes its place'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl token check\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl token check\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl token check\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl token check\' 2 repeating' -k -a '(__histctl_ask token)'

complete -c histctl -n '__histctl_at \'histctl token show\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l as -x -a 'number portable json plist' -d 'Write only this form'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl token show\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl token show\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl token show\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl token show\' 2' -k -a '(__histctl_ask token)'

complete -c histctl -n '__histctl_at \'histctl bookmark\'' -a set -d 'Keep a token under the name of its consumer'
complete -c histctl -n '__histctl_at \'histctl bookmark\'' -a list -d 'List the bookmarks of a store, and how far behind their consumers are'
complete -c histctl -n '__histctl_at \'histctl bookmark\'' -a check -d 'Say whether bookmarks work and their consumers keep up'
complete -c histctl -n '__histctl_at \'histctl bookmark\'' -a remove -d 'Remove bookmarks'
complete -c histctl -n '__histctl_at \'histctl bookmark\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl bookmark\'' -l help -d 'Show help information'

complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l force -d 'Set it although it goes back, or replaces a bookmark of another store'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl bookmark set\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl bookmark set\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl bookmark set\' 2' -k -a '(__histctl_ask bookmark)'
complete -c histctl -n '__histctl_argument \'histctl bookmark set\' 3' -k -a '(__histctl_ask token)'

complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l max-behind -x -d 'Report bookmarks that are farther behind: a duration, such as 30d, or a number of transactions'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l keep-within -x -d 'Show when bookmarks would expire if history were kept for this duration'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l keep-last -x -d 'Show when bookmarks would expire if COUNT transactions were kept'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl bookmark list\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl bookmark list\' 1' -F

complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l max-behind -x -d 'Report bookmarks that are farther behind: a duration, such as 30d, or a number of transactions'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l keep-within -x -d 'Show when bookmarks would expire if history were kept for this duration'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l keep-last -x -d 'Show when bookmarks would expire if COUNT transactions were kept'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl bookmark check\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl bookmark check\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl bookmark check\' 2 repeating' -k -a '(__histctl_ask bookmark)'

complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl bookmark remove\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl bookmark remove\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl bookmark remove\' 2 repeating' -k -a '(__histctl_ask bookmark)'

complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l bookmark-file -r -F -d 'Keep bookmarks in this file instead of STORE-bookmarks.json'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l busy-timeout -x -d 'Seconds to wait for a locked store'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l expire -x -k -a '(__histctl_ask token)' -d 'Let exactly this token expire; may be repeated'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -s o -r -F -d 'The file to write the copy to'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l output -r -F -d 'The file to write the copy to'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l overwrite -d 'Replace an existing store'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l check-token -x -k -a '(__histctl_ask token)' -d 'Show what becomes of this token in the copy; may be repeated'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l no-values -d 'Leave out old and new values of updates that were recorded'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l values-file -r -F -d 'Look for recorded values in this file instead of STORE-values.db'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl rehearse\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl rehearse\' 1' -F
complete -c histctl -n '__histctl_argument \'histctl rehearse\' 2' -k -a '(__histctl_ask token)'

complete -c histctl -n '__histctl_at \'histctl demo\'' -l overwrite -d 'Replace a store that is there already'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l ending -x -d 'The last day of the history'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l json -d 'Write JSON, one object a line; errors too'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l qualified -d 'Write tokens with the identifier of their store'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l date -x -a 'local utc relative raw' -d 'How to write times'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l color -x -a 'auto always never' -d 'When to use colour'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l no-pager -d 'Do not show long output through a pager'
complete -c histctl -n '__histctl_at \'histctl demo\'' -s q -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l quiet -d 'Say nothing on standard error but errors'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l version -d 'Show the version'
complete -c histctl -n '__histctl_at \'histctl demo\'' -l help -d 'Show help information'
complete -c histctl -n '__histctl_argument \'histctl demo\' 1' -a '(__fish_complete_directories (commandline -ct))'
