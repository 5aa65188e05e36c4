import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

// What to do about an error, in the commands and options of this program. The libraries, which know
// of none, have remedies for everybody who uses them; where one says all that there is to say, it is
// the hint.

extension StoreError {
  /// What to do about it.
  var hint: String {
    switch self {
    case .notAStore(_, .notAFile(kind: "pipe")):
      "a store must be a file; lines that were exported are read from standard input with -"
    case .busy: "try again when the other program is done, or wait longer with --busy-timeout"
    case .changedWhileReading: "run the command again"
    case .unusableValues:
      "leave the values out with --no-values, or name the file that has them with --values-file"
    default: remedy
    }
  }
}

extension StoreWriteError {
  /// What to do about it.
  var hint: String {
    switch self {
    case .store(.busy): "close the program that has the store open, then run the command again"
    case .store(let error): error.hint
    case .alreadyThere: "choose another place, or replace what is there with --overwrite"
    case .historyChanged: "run the command again, which looks at the store anew"
    case .pinnedLog: "run the command again when the other program is done"
    case .notIncremental: "close every program that has it open, and use --full"
    case .renumbersRows: "leave out --full; something may refer to these rows by their numbers"
    case .withoutSpace: "make room, or leave out --full"
    default: remedy
    }
  }
}

extension HistoryError {
  /// What to do about it.
  var hint: String {
    switch self {
    case .unknownBookmark(_, _, known: []): "there are none; bookmark set makes one"
    case .unusableToken(let token): token.bookmarkHint()
    case .unreadableBookmarks:
      "move the file away to start without bookmarks, or name another with --bookmark-file"
    case .unwritableBookmarks(let path, _) where MissingFolders.isFolder(path):
      "name a file in that folder with --bookmark-file"
    case .unwritableBookmarks:
      "make the file and its folder writable, or name another with --bookmark-file"
    case .missingBookmarks:
      "name the file that has them; to delete whatever they need, add --ignore-guard bookmarks"
    case .busyBookmarks: "run the command again when the other one is done"
    case .fullBookmarks:
      "remove those that nobody needs with histctl bookmark remove, or name another file with "
        + "--bookmark-file"
    case .bookmarkIsAhead: "its consumer would see again what it has seen; set it back with --force"
    case .bookmarkOfOtherStore:
      "choose another name or another --bookmark-file, or replace it with --force"
    case .unknownObject(_, nil, nil, _): "diff with --name-only lists the objects that changed"
    case .unknownEntity(_, suggestions: []):
      "info --model lists the entities of a store, of an archive too"
    case .unknownAttribute(_, suggestions: []):
      "info --model lists the attributes and relationships of each entity"
    case .tooManyPeriods:
      "take longer periods, such as --by day, or a part of the history, with --after"
    case .unknownSize:
      "say how much to keep by time or number: --keep-within 30d, --keep-last 1000"
    case .damaged(let path, _):
      "histctl verify \(ShellWord.quoted(path)) tells more; take the store with its -wal from a backup, "
        + "or go on with what can be read with --ignore-guard damage"
    case .refusedByGuards, .restoreRefusedByGuards:
      "see what the guards protect; --ignore-guard NAME leaves one out"
    default: remedy
    }
  }
}

extension RestoreObstacle {
  /// What to do about it.
  var hint: String {
    switch self {
    case .notSealed(_, _, let oldest?):
      "name transaction \(oldest) or a later one, or restore all that is sealed, without --from"
    case .changedModel(_, let transaction, _), .unfitTable(_, let transaction, _):
      "restore only what came later, with --from \(transaction == .max ? transaction : transaction + 1)"
        + ", or read the archive in place of the store"
    default: remedy
    }
  }
}

extension LineError {
  /// What to do about it.
  var hint: String {
    switch self {
    case .unexpected: "histctl-json(5) describes the line"
    case .unknownSchema(0), .unknownType("change"):
      "only transactions are read back; export them with --format jsonl"
    case .unknownSchema, .unknownType: "use a newer histctl"
    case .partial: "export again without --only-matching and --fields"
    default: remedy
    }
  }
}

extension ArchiveError {
  /// What to do about it.
  var hint: String {
    switch self {
    case .notAnArchive(_, .withoutCatalog):
      "an archive is a folder with a file \(ArchiveFormat.catalogName); histctl archive makes one"
    case .notAnArchive(_, .missing), .notAnArchive(_, .notAFolder): "histctl archive makes one"
    case .missing, .damaged:
      "bring the file back from a copy of the archive; histctl verify names everything that is wrong"
    case .unreadable: "make it readable, or run the command as its owner"
    case .unknownFormat: "use a newer histctl"
    case .malformedAnchor: "histctl archive prints it"
    case .unknownTransaction: "histctl info lists what an archive has"
    case .busy: "let it finish, or wait for it with --lock-wait 10min"
    case .gap: "to seal what there is and leave the gap, add --allow-gap"
    case .damagedText:
      "export the history again; lines are as histctl export --format jsonl writes them"
    case .malformedLine(_, _, .unknownSchema(0)), .malformedLine(_, _, .unknownType("change")):
      "only transactions are read back; export them with --format jsonl"
    case .malformedLine(_, _, let error):
      error.hint + "; lines are as histctl export --format jsonl writes them"
    case .readBackDiffers: "see whether the disk is sound, and run the command again"
    default: remedy
    }
  }
}

extension UnusableToken {
  /// The commands that take the token to go on from as `--after`.
  private static let commandsWithStart: Set<String> = ["log", "export", "stats", "object"]

  /// What to do about a token that was given on a command line: what the same command takes.
  func hint(of arguments: [String]) -> String {
    if arguments.contains(where: { $0 == "--bookmark" || $0.hasPrefix("--bookmark=") }) {
      return bookmarkHint(isInAFileOfItsOwn: arguments.contains { $0.hasPrefix("--bookmark-file") })
    }
    switch option(in: arguments) {
    case "--after": return remedy(option: "--after")
    case nil where arguments.first.map(Self.commandsWithStart.contains) ?? false:
      return remedy(option: "--after")
    // Places to begin at, for which the beginning will do as well.
    case nil where arguments.first == "bookmark": return remedy
    case nil where arguments.first == "diff" && isFirst(in: arguments): return remedy
    default: return remedy(wayOn: "give one that works: " + reachOfTokens)
    }
  }

  /// What to do about a bookmark that a consumer was to go on from.
  func bookmarkHint(isInAFileOfItsOwn: Bool = false) -> String {
    guard text.hasPrefix("@") else { return remedy }
    let name = String(text.dropFirst())
    func command(_ number: Int64, _ options: String = "") -> String {
      "histctl bookmark set \(ShellWord.quoted(path)) \(name) \(number)\(options)"
        + (isInAFileOfItsOwn ? " with the same --bookmark-file" : "")
    }
    return remedy(wayOn: "start again with: " + command(0, " --force"))
  }

  private var reachOfTokens: String {
    guard let oldest, let newest else { return "0, for the history is empty" }
    return "\(oldest.number) to \(newest.number)"
  }

  /// The option that the token was given with; nil for one without.
  private func option(in arguments: [String]) -> String? {
    for (place, argument) in arguments.enumerated() where argument.hasPrefix("--") {
      if place + 1 < arguments.count, arguments[place + 1] == text { return argument }
      if argument.hasSuffix("=" + text) { return String(argument.dropLast(text.count + 1)) }
    }
    return nil
  }

  /// Whether it is the first of two tokens.
  private func isFirst(in arguments: [String]) -> Bool {
    let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    return words.dropFirst().first == text
  }
}
