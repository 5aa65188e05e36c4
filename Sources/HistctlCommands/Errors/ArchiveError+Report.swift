import DemoStore
import DurableFiles
import HistoryArchive
import HistoryCoding
import HistoryOperations
import Terminal

extension ArchiveError: ReportedError {
  var kind: ErrorKind {
    switch self {
    case .notAnArchive(_, .notEmpty): .notEmpty
    case .notAnArchive(_, .missing), .notAnArchive(_, .notAFolder),
      .notAnArchive(_, .withoutCatalog):
      .notAnArchive
    case .missing, .lostCatalog: .missingFile
    case .unlisted: .unlistedSegment
    case .linked: .linkedFile
    case .unreadable: .unreadable
    case .unwritable: .unwritable
    case .damaged: .damaged
    case .unknownFormat: .unknownFormat
    case .unknownStore: .unknownStore
    case .severalStores: .severalStores
    case .malformedAnchor: .malformedAnchor
    case .unknownTransaction: .unknownTransaction
    case .busy: .busyArchive
    case .cancelled: .cancelled
    case .changed: .changedArchive
    case .unnamedStore: .unnamedStore
    case .unsealable: .unsealable
    case .diverged: .diverged
    case .olderCopy: .olderCopy
    case .gap: .gap
    case .fullCatalog: .fullCatalog
    case .damagedText(_, line: nil, _): .damagedText
    case .damagedText, .malformedLine: .malformedLine
    case .readBackDiffers: .readBackDiffers
    }
  }

  var hint: String? {
    switch self {
    case .unreadable(let path, _) where !Self.mayExist(path): "check the path"
    case .unknownFormat: "use a newer histctl"
    case .notAnArchive(let path, .withoutCatalog):
      "an archive is a folder with a file \(ArchiveFormat.catalogName), which histctl archive creates; "
        + "list the stores in this one with: histctl find \(ShellWord.quoted(path))"
    case .notAnArchive(_, .missing), .notAnArchive(_, .notAFolder):
      "create an archive with histctl archive"
    case .missing, .damaged:
      "restore the file from a copy of the archive; histctl verify lists everything that is wrong"
    case .unlisted:
      "seal the store again with histctl archive, which lists the segment; if the catalog was cut short, restore it "
        + "from a copy of the archive"
    case .malformedAnchor: "copy the head that histctl archive prints"
    case .unknownTransaction: "list the contents of the archive with: histctl info ARCHIVE"
    case .changed: "run the command again"
    case .busy: "run the command again later, or wait longer with --lock-wait 10min"
    case .gap: "to seal the rest and leave the gap, add --allow-gap"
    case .malformedLine(_, _, let error) where error.isOfChange: error.hint
    case .malformedLine(_, _, let error):
      (error.hint ?? error.remedy)
        + "; lines must be as histctl export --format jsonl writes them"
    case .damagedText:
      "export the history again; lines must be as histctl export --format jsonl writes them"
    case .severalStores(_, let stores):
      "name one with --store-identifier: " + stores.joined(separator: ", ")
    case .readBackDiffers: "check the disk, and run the command again"
    case .notAnArchive(_, .notEmpty), .lostCatalog, .linked, .unreadable, .unwritable,
      .cancelled, .unknownStore, .unnamedStore, .unsealable, .diverged, .olderCopy,
      .fullCatalog:
      nil
    }
  }

  private static func mayExist(_ path: String) -> Bool {
    do {
      return try FileStatus(path: path) != nil
    } catch {
      return true
    }
  }
}

extension LineError: ReportedError {
  var kind: ErrorKind { .malformedLine }

  var hint: String? {
    switch self {
    case .unexpected: "the format of lines is described in histctl-json(5)"
    case .unknownSchema(0), .unknownType("change"):
      "only transactions are read back; export them with --format jsonl"
    case .unknownSchema, .unknownType: "use a newer histctl"
    case .partial: "export again without --only-matching and --fields"
    case .malformed, .unknownEntity, .tooLarge: nil
    }
  }

  /// Whether the line is that of a change, as some formats write.
  fileprivate var isOfChange: Bool {
    self == .unknownSchema(0) || self == .unknownType("change")
  }
}

extension ExportFormatError: ReportedError {
  var kind: ErrorKind {
    switch self {
    case .longText: .valueTooLong
    case .unknownField, .noFields, .fixedFields: .usage
    }
  }

  var hint: String? { nil }
}

extension DemoError: ReportedError {
  var kind: ErrorKind { .outsideCalendar }

  var hint: String? { nil }
}
