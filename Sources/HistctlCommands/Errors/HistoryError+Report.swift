import DurableFiles
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import Terminal

extension HistoryError: ReportedError {
  var kind: ErrorKind {
    switch self {
    case .malformedToken: .malformedToken
    case .malformedRange: .malformedRange
    case .unreadableToken: .unreadableToken
    case .unknownBookmark: .unknownBookmark
    case .unreadableBookmarks: .unreadableBookmarks
    case .unwritableBookmarks: .unwritableBookmarks
    case .missingBookmarks: .missingBookmarks
    case .unusableToken(let token): token.kind
    case .divergedArchive: .divergedArchive
    case .busyBookmarks: .busyBookmarks
    case .fullBookmarks: .fullBookmarks
    case .malformedBookmarkName: .malformedBookmarkName
    case .bookmarkIsAhead: .bookmarkIsAhead
    case .bookmarkOfOtherStore: .bookmarkOfOtherStore
    case .contradictoryRehearsal: .contradictoryRehearsal
    case .unknownState: .unknownState
    case .unnamedStore: .unnamedStore
    case .differentStores: .differentStores
    case .withoutCommonTransaction: .withoutCommonTransaction
    case .replacedStore: .replacedStore
    case .noTransaction, .fewTransactions: .noTransaction
    case .malformedObject: .malformedObject
    case .objectOfOtherStore: .objectOfOtherStore
    case .unknownObject: .unknownObject
    case .unknownEntity: .unknownEntity
    case .unknownAttribute: .unknownAttribute
    case .unusableValue: .unusableValue
    case .unknownModel: .unknownModel
    case .tooManyPeriods: .tooManyPeriods
    case .unknownSize: .unknownSize
    case .presentEntity: .presentEntity
    case .damaged: .damaged
    case .refusedByGuards, .restoreRefusedByGuards: .refusedByGuards
    }
  }

  var hint: String? {
    switch self {
    case .malformedToken(let text, _, _) where Self.isFile(text):
      FileContent.isSQLite(at: text)
        ? "it is another store, and this command reads one; to compare two copies of a store: "
          + "histctl diff STORE --with COPY"
        : "to read a token from a file, write "
          + ShellWord.quoted("@" + (text.contains("/") ? text : "./" + text))
    case .unknownBookmark(_, let path, known: []) where Self.isBesideOtherThanStore(path):
      "bookmarks are set for stores; name the file that has this one with --bookmark-file"
    case .unknownBookmark(let name, _, known: []):
      "there are none; create one with: histctl bookmark set STORE \(name) TOKEN"
    case .unusableToken(let token): token.remedyOfBookmark()
    case .unreadableBookmarks:
      "move the file away to start without bookmarks, or name another with --bookmark-file"
    case .unwritableBookmarks:
      "make the file and its folder writable, or name another with --bookmark-file"
    case .missingBookmarks:
      "name the file that has them; prune and forget delete without them if they are given "
        + "--ignore-guard bookmarks"
    case .busyBookmarks: "run the command again when the other program is done"
    case .fullBookmarks:
      "remove unused bookmarks with histctl bookmark remove STORE NAME, or name another file with "
        + "--bookmark-file"
    case .bookmarkIsAhead:
      "its consumer would see changes a second time; to move it back, use --force"
    case .bookmarkOfOtherStore:
      "choose another name or another --bookmark-file, or replace the bookmark with --force"
    case .unknownObject(_, nil, nil, _):
      "list the objects that changed with: histctl diff STORE 0 --name-only"
    case .unknownEntity(let name, _) where name.contains(","):
      "an option names one entity; repeat it: "
        + name.split(separator: ",").map { "--entity \(ShellWord.quoted(String($0)))" }
        .joined(separator: " ")
    case .unknownEntity(_, suggestions: []):
      "list the entities of a store or an archive with: histctl info STORE --model; those of exported lines "
        + "with: histctl stats LINES"
    case .unknownAttribute(_, suggestions: []):
      "list the attributes and relationships of each entity with: histctl info STORE --model; those that "
        + "changed in exported lines with: histctl stats LINES"
    case .tooManyPeriods:
      "choose longer periods, such as --by day, or a part of the history with --after"
    case .unknownSize:
      "say how much to keep by time or number: --keep-within 30d, --keep-last 1000"
    case .damaged(let path, _):
      "list the damage with histctl verify --full \(ShellWord.quoted(path)); restore the store and its -wal "
        + "from a backup, or continue with what can be read: --ignore-guard damage"
    case .refusedByGuards, .restoreRefusedByGuards:
      "check what the guards protect; to skip one, use --ignore-guard NAME"
    case .malformedToken, .malformedRange, .unreadableToken, .unknownBookmark, .divergedArchive,
      .malformedBookmarkName, .contradictoryRehearsal, .unknownState, .unnamedStore,
      .differentStores, .withoutCommonTransaction, .replacedStore, .noTransaction,
      .fewTransactions,
      .malformedObject, .objectOfOtherStore, .unknownObject, .unknownEntity, .unknownAttribute,
      .unusableValue, .unknownModel, .presentEntity:
      nil
    }
  }

  var details: [(String, JSONValue)] {
    switch self {
    case .damaged(let path, _): [("store", .string(path))]
    case .unusableToken(let token): token.details
    default: []
    }
  }

  /// Whether a file of bookmarks is that of an archive or of exported lines, for which none can be set.
  private static func isBesideOtherThanStore(_ path: String) -> Bool {
    let suffix = BookmarkFile.path(besideStore: "")
    return path.hasSuffix(suffix) && !FileContent.isSQLite(at: String(path.dropLast(suffix.count)))
  }

  private static func isFile(_ path: String) -> Bool {
    (try? FileStatus(path: path))?.kind == .file
  }
}

extension UnusableToken {
  var kind: ErrorKind {
    switch state {
    case .foreign: .historyTokenForeign
    case .ahead: .historyTokenAhead
    case .expired: .historyTokenExpired
    case .archived: .historyTokenArchived
    case .diverged: .historyTokenDiverged
    case .valid: .historyTokenValid
    }
  }

  fileprivate var details: [(String, JSONValue)] {
    JSONValue.list(of: [
      "store": path, "token": text, "state": state.name, "oldest": oldest?.number,
      "oldestTimestamp": oldest?.timestamp?.iso8601(), "archive": archive?.path,
    ]) + (remainder?.members ?? [])
  }

  /// The remedy where a token that works is needed.
  var remedyWithReach: String {
    let nearest = (remainder?.neighbors ?? []).map(String.init).joined(separator: " or ")
    let reach = oldest.flatMap { oldest in newest.map { "\(oldest.number) to \($0.number)" } }
    return remedy(
      wayOn: "give a token that works: "
        + (nearest.isEmpty
          ? reach ?? "0, because the history is empty" : "the nearest is \(nearest)"))
  }

  /// The remedy where the end of a range is before all that is kept; `nil` for any other end.
  func remedy(upTo end: String?) -> String? {
    guard state == .expired, let oldest,
      let end = text == end ? number : end.flatMap({ Int64($0) }), end < oldest.number
    else { return nil }
    return "nothing up to \(end) is left here; read an archive or an older copy that has it"
  }

  /// The remedy for the token of `--after`.
  var remedyWithAfter: String { remedy(option: "--after") }

  /// The remedy for a consumer that cannot continue from its bookmark.
  func remedyOfBookmark(isInOtherFile: Bool = false) -> String {
    guard text.hasPrefix("@") else { return remedy }
    return remedy(
      wayOn:
        "\(remainder?.resume ?? 0 == 0 ? "start again" : "continue") with: histctl bookmark set \(ShellWord.quoted(path)) "
        + "\(text.dropFirst()) \(remainder?.resume ?? 0) --force"
        + (isInOtherFile ? " with the same --bookmark-file" : ""))
  }
}

extension UnusableToken.Remainder {
  /// Its members in JSON: what is missing after the token, and the token with which to continue.
  var members: [(String, JSONValue)] {
    JSONValue.list(of: [
      "complete": isComplete, "firstMissing": missing?.first, "lastMissing": missing?.last,
      "missing": missing?.count, "resume": resume,
    ])
  }
}

extension RestoreObstacle: ReportedError {
  var kind: ErrorKind {
    switch self {
    case .otherStore: .otherStore
    case .diverged: .diverged
    case .gap: .gap
    case .notSealed: .notSealed
    case .changedModel: .changedModel
    case .unfitTable: .unfitTable
    case .withoutTextNumbers: .withoutTextNumbers
    case .disorder: .disorder
    }
  }

  var hint: String? {
    switch self {
    case .notSealed(_, _, let oldest?):
      "name transaction \(oldest) or a later one, or restore everything, without --from"
    case .changedModel(_, let transaction, _), .unfitTable(_, let transaction, _):
      "restore only later transactions, with --from "
        + "\(transaction == .max ? transaction : transaction + 1), or read the archive instead of the "
        + "store"
    case .otherStore, .diverged, .gap, .notSealed, .withoutTextNumbers, .disorder: nil
    }
  }

  var details: [(String, JSONValue)] {
    JSONValue.list(of: ["store": path, "transaction": transaction])
  }
}
