import HistoryArchive
import PersistentHistory

/// A kind of finding as this program tells of it.
protocol ReportedFindingKind: FindingKind {
  /// What to do about it, in the commands and options of this program.
  var hint: String { get }
}

extension StoreFindingKind: ReportedFindingKind {
  var hint: String {
    switch self {
    case .addedTrigger: "find out who made it; prune and compact switch triggers off"
    case .invalidNumber, .missingTime, .unknownKind, .missingObject, .missingMask, .danglingText,
      .damagedText:
      "take the store from a backup, or let the row go with the next prune"
    case .numberGap: "nothing, where no consumer stands in the gap; token check tells"
    case .doubleText: "nothing must be done; show lists both"
    case .orphanChange: "prune deletes it with the transactions around it"
    case .unknownEntity:
      "prune --entity '#NUMBER' deletes such changes and keeps their transactions"
    case .unexpectedMask, .unexpectedTombstone, .unexpectedValue:
      "find out what else writes into the store; show lists what is there"
    case .misfittingMask, .misfittingTombstone: "read the values by their columns, with show --json"
    case .unreadableMirroring:
      "open the store once with its app; prune --ignore-guard mirroring prunes all the same"
    case .unusableBookmark:
      "let its consumer start anew, then set the bookmark again; bookmark check tells more"
    case .foreignValues:
      "nothing must be done; prune removes them with the transactions around them"
    case .misfittingValues:
      "find out what else writes into the file; --no-values leaves recorded values out"
    default: remedy
    }
  }
}

extension ArchiveFindingKind: ReportedFindingKind {
  var hint: String {
    switch self {
    case .tornCatalog:
      "the next archive command removes the part of a line; with an anchor, verify --anchor tells "
        + "whether more is missing"
    case .unreadableFile: "make it readable, or run the command as its owner"
    case .unlistedSegment:
      "the next archive command for the store enters it; where that was the end of the catalog, bring "
        + "the catalog back from a copy"
    case .abandonedDraft: "the next archive command for the store removes it"
    case .divergedStore:
      "seal this copy in an archive of its own; diff --with compares two copies"
    case .partialTransaction:
      "run the same prune once more, or bring the changes back with restore"
    case .storeGap: "archive before pruning, or both at once with prune --archive"
    default: remedy
    }
  }
}
