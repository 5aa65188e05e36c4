import DurableFiles
import HistoryCoding
import StoreFormat
import SystemPackage

/// An error of reading or writing sealed history.
///
/// Errors of a store are a ``/StoreFormat/StoreError``.
public enum ArchiveError: Error, Hashable, Sendable {
  /// The path is not an archive.
  case notAnArchive(path: String, reason: NotAnArchiveReason)
  /// A file named in the catalog is missing.
  case missing(path: String)
  /// The folder has segments and no catalog.
  case lostCatalog(path: String)
  /// The catalog does not list a segment that is in the folder, so that an answer without it may be short.
  case unlisted(path: String)
  /// A file or folder of the archive is a symbolic link.
  case linked(path: String)
  /// A file or folder cannot be read.
  case unreadable(path: String, reason: String)
  /// A file or folder cannot be written.
  case unwritable(path: String, reason: String)
  /// A file contradicts itself, the catalog or the format.
  case damaged(path: String, place: String, detail: String)
  /// The archive has an unknown format version.
  case unknownFormat(path: String, schema: Int64)
  /// The archive has no segment of this store.
  case unknownStore(path: String, store: String, known: [String])
  /// The archive has several stores, and none was named.
  case severalStores(path: String, stores: [String])
  /// A text is not the head of a chain.
  case malformedAnchor(text: String)
  /// The archive does not have this transaction.
  case unknownTransaction(path: String, store: String, transaction: Int64)
  /// Another program kept the archive locked for longer than the wait.
  case busy(path: String, seconds: Double)
  /// The program that began to read no longer waits for the result.
  case cancelled(path: String)
  /// Another program has merged or forgotten segments that were being read.
  case changed(path: String)
  /// The store has no identifier to file its segments by.
  case unnamedStore(path: String)
  /// A transaction cannot be sealed.
  case unsealable(path: String, transaction: Int64, reason: String)
  /// The archive is of another copy of the store; this transaction differs.
  case diverged(path: String, archive: String, transaction: Int64)
  /// The store is an older copy: the archive has transactions that it has not reached.
  case olderCopy(path: String, archive: String, sealed: Int64, newest: Int64)
  /// History after the last sealed transaction was deleted before it was sealed.
  case gap(path: String, archive: String, after: Int64, oldest: Int64)
  /// The catalog cannot take another line.
  case fullCatalog(path: String, limit: Int64)
  /// Exported text cannot be unpacked, or a line (counted from 1) does not fit.
  case damagedText(path: String, line: Int?, detail: String)
  /// A line (counted from 1) of exported text is not a line of history.
  case malformedLine(path: String, line: Int, LineError)
  /// A segment read back differs from the store, or from the segments that it merges.
  case readBackDiffers(path: String, place: String)
}

/// The reason why a path is not an archive.
public enum NotAnArchiveReason: Hashable, Sendable {
  /// There is no such folder.
  case missing
  /// It is not a folder.
  case notAFolder
  /// The folder has no catalog.
  case withoutCatalog
  /// The folder for a new archive has other files.
  case notEmpty
}

extension ArchiveError {
  /// What is wrong.
  public var message: String {
    switch self {
    case .notAnArchive(let path, .notEmpty):
      "cannot create an archive in \(path): it has other files and no \(ArchiveFormat.catalogName)"
    case .notAnArchive(let path, .missing): "\(path) is not an archive: no such folder"
    case .notAnArchive(let path, .notAFolder): "\(path) is not an archive: not a folder"
    case .notAnArchive(let path, .withoutCatalog):
      "\(path) is not an archive: it has no \(ArchiveFormat.catalogName)"
    case .missing(let path): "\(path) is missing, and the catalog lists it"
    case .lostCatalog(let path): "\(path) is missing, and its folder has segments"
    case .unlisted(let path):
      "\(path) is not in the catalog of its archive, so history may be missing: sealing was interrupted, or "
        + "the catalog was cut short"
    case .linked(let path): "\(path) is a symbolic link, and links in an archive are not followed"
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
    case .damaged(let path, let place, let detail): "\(path) is damaged in \(place): \(detail)"
    case .unknownFormat(let path, let schema):
      "\(path) has archive format \(schema), which this version does not know"
    case .unknownStore(let path, "", _): "the archive \(path) has no segments"
    case .unknownStore(let path, let store, _):
      "the archive \(path) has no segments of the store \(store)"
    case .severalStores(let path, _): "\(path) has history of several stores"
    case .malformedAnchor(let text):
      "'\(text)' is not the head of a chain: expected a number, a colon and 64 hexadecimal digits"
    case .unknownTransaction(let path, let store, let transaction):
      "the archive \(path) does not have transaction \(transaction) of the store \(store)"
    case .busy(let path, _): "another program is using the archive \(path)"
    case .cancelled(let path): "reading \(path) was canceled"
    case .changed(let path):
      "another program has merged or forgotten segments of the archive \(path) while it was read"
    case .unnamedStore(let path): "\(path) has no identifier to file its segments by"
    case .unsealable(let path, let transaction, let reason):
      "cannot seal transaction \(transaction) of \(path): \(reason)"
    case .diverged(let path, let archive, let transaction):
      "\(path) and the archive \(archive) are of copies of a store that diverged: transaction "
        + "\(transaction) is the first that differs"
    case .olderCopy(let path, let archive, let sealed, let newest):
      "\(path) is an older copy of the store in the archive \(archive): its newest transaction is "
        + "\(newest), and \(sealed) is sealed"
    case .gap(let path, let archive, let after, let oldest):
      "\(path) does not continue where the archive \(archive) ends: neither has transactions "
        + "\(after + 1) to \(oldest - 1)"
    case .fullCatalog(let path, let limit):
      "\(path) is full: another segment would make it larger than \(limit) bytes"
    case .damagedText(let path, let line?, let detail): "\(path), line \(line): \(detail)"
    case .damagedText(let path, nil, let detail): "\(path) is damaged: \(detail)"
    case .malformedLine(let path, let line, let error): "\(path), line \(line): \(error.message)"
    case .readBackDiffers(let path, let place):
      "\(path), read back, differs from what it was made of in \(place)"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .notAnArchive(_, .notEmpty):
      "name a new or empty folder; if the catalog was lost, restore it from a copy"
    case .notAnArchive(_, .withoutCatalog):
      "an archive is a folder with a file \(ArchiveFormat.catalogName); sealing creates one"
    case .notAnArchive: "name an archive; sealing creates one"
    case .missing, .damaged:
      "restore the file from a copy of the archive; verifying the archive lists all damage"
    case .lostCatalog: "restore the catalog from a copy of the archive"
    case .unlisted:
      "seal the store again, which lists the segment; if the catalog was cut short, restore it from a copy"
    case .linked: "move the file itself there, or restore it from a copy of the archive"
    case .unreadable: "make it readable, or read it as its owner"
    case .unwritable: "name a folder that can be written and has free space"
    case .unknownFormat: "read it with a newer version"
    case .unknownStore(_, _, let known):
      known.isEmpty ? "nothing is sealed there yet" : "it has " + known.joined(separator: ", ")
    case .severalStores(_, let stores): "name one: " + stores.joined(separator: ", ")
    case .malformedAnchor: "pass the head as sealing printed it"
    case .unknownTransaction: "the catalog lists the transactions of the archive"
    case .busy: "retry when it has finished, or wait longer (lockWait)"
    case .changed, .cancelled: "read it again"
    case .unnamedStore: "open the store once with its app, which gives it an identifier"
    case .unsealable: "export the history instead, and verify the store"
    case .diverged: "seal the two copies in separate archives"
    case .olderCopy: "pass the newer copy, or seal this one in another archive"
    case .gap: "allow the gap (allowsGap) to seal the rest"
    case .fullCatalog: "seal in another folder; this archive stays readable"
    case .damagedText: "export the history again, as JSON lines"
    case .malformedLine(_, _, let error): error.remedy
    case .readBackDiffers: "check the disk, then try again"
    }
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}

extension ArchiveError {
  /// The error of opening a file or folder for reading.
  static func reading(_ place: FilePlace, _ error: Errno) -> ArchiveError {
    switch error {
    case .noSuchFileOrDirectory: .missing(path: place.path)
    case .tooManySymbolicLinkLevels: .linked(path: place.firstLink)
    default: .unreadable(path: place.path, reason: error.description)
    }
  }

  /// The error of creating, opening or writing a file or folder.
  static func writing(_ place: FilePlace, _ error: any Error) -> ArchiveError {
    error as? Errno == .tooManySymbolicLinkLevels
      ? .linked(path: place.firstLink)
      : .unwritable(path: place.path, reason: ArchiveFile.reason(error))
  }
}
