import HistoryCoding
import StoreFormat

/// Everything that can go wrong between a path and the sealed history in it.
///
/// Each case names the file, and its ``message`` and ``remedy`` say what was expected and what to
/// do. What concerns a store is a ``/StoreFormat/StoreError``.
public enum ArchiveError: Error, Hashable, Sendable {
  /// There is no archive at this path.
  case notAnArchive(path: String, reason: NotAnArchiveReason)
  /// A file that the catalog names is not there.
  case missing(path: String)
  /// A file or folder cannot be read.
  case unreadable(path: String, reason: String)
  /// A file or folder cannot be written.
  case unwritable(path: String, reason: String)
  /// A file contradicts itself, the catalog or the format.
  case damaged(path: String, place: String, detail: String)
  /// The archive is of a format that this code does not know.
  case unknownFormat(path: String, schema: Int64)
  /// The archive has nothing of this store.
  case unknownStore(path: String, store: String, known: [String])
  /// The archive is of several stores, and none was named.
  case severalStores(path: String, stores: [String])
  /// A text is not the head of a chain.
  case malformedAnchor(text: String)
  /// The archive has nothing of this transaction.
  case unknownTransaction(path: String, store: String, transaction: Int64)
  /// Another program was at work on the archive for too long.
  case busy(path: String, seconds: Double)
  /// A store has no identifier by which its segments could be filed.
  case unnamedStore(path: String)
  /// A transaction cannot be sealed.
  case unsealable(path: String, transaction: Int64, reason: String)
  /// The archive has segments of another copy of the store: a transaction differs.
  case diverged(path: String, archive: String, transaction: Int64)
  /// The archive has transactions that the store has not come to yet: it is an older copy.
  case olderCopy(path: String, archive: String, sealed: Int64, newest: Int64)
  /// History behind the last sealed transaction was deleted from the store before it was sealed.
  case gap(path: String, archive: String, after: Int64, oldest: Int64)
  /// The catalog has no room for the line of another segment.
  case fullCatalog(path: String, limit: Int64)
  /// A text that was exported cannot be unpacked, or one of its lines (counted from 1) does not fit
  /// where it stands.
  case damagedText(path: String, line: Int?, detail: String)
  /// A line (counted from 1) of a text that was exported is not one of history.
  case malformedLine(path: String, line: Int, LineError)
  /// What was read back of a segment is not what the store has.
  case readBackDiffers(path: String, place: String)
}

/// Why there is no archive at a path.
public enum NotAnArchiveReason: Hashable, Sendable {
  /// There is nothing.
  case missing
  /// There is something that is no folder.
  case notAFolder
  /// The folder has no catalog.
  case withoutCatalog
  /// The folder, in which an archive was to be made, has other things in it.
  case notEmpty
}

extension ArchiveError {
  /// What is wrong.
  public var message: String {
    switch self {
    case .notAnArchive(let path, .notEmpty):
      "no archive can be made in \(path): it has other things in it, and no "
        + ArchiveFormat.catalogName
    case .notAnArchive(let path, let reason):
      "\(path) is not an archive: \(reason.text)"
    case .missing(let path):
      "\(path), which the catalog names, is missing"
    case .unreadable(let path, let reason):
      "cannot read \(path): \(reason)"
    case .unwritable(let path, let reason):
      "cannot write \(path): \(reason)"
    case .damaged(let path, let place, let detail):
      "\(path) is damaged in \(place): \(detail)"
    case .unknownFormat(let path, let schema):
      "\(path) follows schema \(schema) of the archive, expected \(ArchiveFormat.schema)"
    case .unknownStore(let path, "", _): "\(path) is an archive without segments"
    case .unknownStore(let path, let store, _):
      "\(path) has nothing of the store \(store)"
    case .severalStores(let path, _):
      "\(path) is of several stores"
    case .malformedAnchor(let text):
      "'\(text)' is not the head of a chain: expected a number, a colon and 64 hexadecimal digits"
    case .unknownTransaction(let path, let store, let transaction):
      "the archive \(path) does not have transaction \(transaction) of the store \(store)"
    case .busy(let path, _):
      "another program is at work on the archive \(path)"
    case .unnamedStore(let path):
      "\(path) has no identifier by which its segments could be filed"
    case .unsealable(let path, let transaction, let reason):
      "transaction \(transaction) of \(path) cannot be sealed: \(reason)"
    case .diverged(let path, let archive, let transaction):
      "\(path) and the archive \(archive) are of copies of a store that went different ways: "
        + "transaction \(transaction) is the first that is not the same in both"
    case .olderCopy(let path, let archive, let sealed, let newest):
      "\(path) is an older copy of the store in the archive \(archive): it has come to transaction "
        + "\(newest), and \(sealed) is sealed"
    case .gap(let path, let archive, let after, let oldest):
      "the history of \(path) does not go on where the archive \(archive) ends: transactions "
        + "\(after + 1) to \(oldest - 1) are in neither"
    case .fullCatalog(let path, let limit):
      "\(path) is full: it would have more than \(limit) bytes with another segment"
    case .damagedText(let path, let line, let detail):
      line.map { "\(path), line \($0): \(detail)" } ?? "\(path) is damaged: \(detail)"
    case .malformedLine(let path, let line, let error): "\(path), line \(line): \(error.message)"
    case .readBackDiffers(let path, let place):
      "what was written to \(path) does not come back as it was: \(place) differs"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .notAnArchive(_, .notEmpty):
      "name a new or an empty folder; an archive whose catalog is lost needs it back from a copy"
    case .notAnArchive(_, .withoutCatalog):
      "an archive is a folder with a file \(ArchiveFormat.catalogName); sealing makes one"
    case .notAnArchive: "name an archive; sealing makes one"
    case .missing, .damaged:
      "bring the file back from a copy of the archive; verifying it names everything that is wrong"
    case .unreadable: "make it readable, or read it as its owner"
    case .unwritable: "name a folder in which files can be made and that has room for them"
    case .unknownFormat: "read it with a version that knows it"
    case .unknownStore(_, _, let known):
      known.isEmpty ? "nothing was sealed there yet" : "it has " + known.joined(separator: ", ")
    case .severalStores(_, let stores): "name one: " + stores.joined(separator: ", ")
    case .malformedAnchor: "give it as sealing told it"
    case .unknownTransaction: "see in the catalog what the archive has"
    case .busy: "let it finish, or wait longer for it (lockWait)"
    case .unnamedStore: "open the store once with its app, which gives it an identifier"
    case .unsealable: "export the history instead, and see what is wrong with that transaction"
    case .diverged: "seal the two copies in archives of their own"
    case .olderCopy:
      "give the newer copy; to seal this one, name another archive"
    case .gap: "to seal what there is and leave the gap, allow it (allowsGap)"
    case .fullCatalog:
      "go on in another folder; this archive stays as it is, and whatever reads archives reads it"
    case .damagedText: "export the history again, as JSON lines"
    case .malformedLine(_, _, let error): error.remedy
    case .readBackDiffers: "see whether the disk is sound, and seal again"
    }
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}

extension NotAnArchiveReason {
  fileprivate var text: String {
    switch self {
    case .missing: "there is no such folder"
    case .notAFolder: "it is no folder"
    case .withoutCatalog: "it has no \(ArchiveFormat.catalogName)"
    case .notEmpty: "it has other things in it"
    }
  }
}
