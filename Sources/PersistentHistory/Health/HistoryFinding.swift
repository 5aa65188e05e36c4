import StoreFormat

/// Something about a history that is not as it should be.
package enum HistoryFinding: Hashable, Sendable {
  /// It occupies more bytes than are allowed.
  case tooLarge(bytes: Int64, limit: Int64)
  /// Its oldest transaction was saved longer ago than is allowed.
  case tooOld(oldest: TransactionPosition, limit: HistoryDuration)
  /// A bookmark does not work.
  case unusableBookmark(BookmarkStanding)
  /// A bookmark is farther behind than is allowed.
  case lostBookmark(BookmarkStanding, allowance: BookmarkAllowance)
  /// A bookmark would expire too soon; without a limit, at once.
  case shortHeadroom(BookmarkStanding, limit: HistoryDuration?)
  /// How the bookmarks stand is not known, for their file cannot be read.
  case unreadableBookmarks(HistoryError)
  /// A part of the log is damaged, so saves behind it may be missing.
  case damagedLog(reason: String)
  /// Something else is damaged, as far as it shows without a full read.
  case damaged(EvidentDamage.Finding)
}

extension HistoryFinding {
  /// The name of the finding for scripts.
  package var kind: String {
    switch self {
    case .tooLarge: "tooLarge"
    case .tooOld: "tooOld"
    case .unusableBookmark: "unusableBookmark"
    case .lostBookmark: "lostBookmark"
    case .shortHeadroom: "shortHeadroom"
    case .unreadableBookmarks: "unreadableBookmarks"
    case .damagedLog: "damagedLog"
    case .damaged(let finding): finding.kind.rawValue
    }
  }

  /// Whether it is damage, and not a limit that was passed.
  package var isDamage: Bool {
    switch self {
    case .damagedLog, .damaged: true
    default: false
    }
  }

  /// The bookmark that it is about; nil for a finding about the history itself.
  package var bookmark: Bookmark? {
    switch self {
    case .tooLarge, .tooOld, .unreadableBookmarks, .damagedLog, .damaged: nil
    case .unusableBookmark(let standing), .lostBookmark(let standing, _),
      .shortHeadroom(let standing, _):
      standing.bookmark
    }
  }
}
