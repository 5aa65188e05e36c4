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
}

/// Why there is no archive at a path.
public enum NotAnArchiveReason: Hashable, Sendable {
  /// There is nothing.
  case missing
  /// There is something that is no folder.
  case notAFolder
  /// The folder has no catalog.
  case withoutCatalog
}

extension ArchiveError {
  /// What is wrong.
  public var message: String {
    switch self {
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
    case .unknownStore(let path, let store, _):
      "the archive \(path) has nothing of the store \(store)"
    case .severalStores(let path, _):
      "the archive \(path) is of several stores"
    case .malformedAnchor(let text):
      "'\(text)' is not the head of a chain: expected a number, a colon and 64 hexadecimal digits"
    case .unknownTransaction(let path, let store, let transaction):
      "the archive \(path) does not have transaction \(transaction) of the store \(store)"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .notAnArchive(_, .withoutCatalog):
      "an archive is a folder with a file \(ArchiveFormat.catalogName); histctl archive makes one"
    case .notAnArchive: "histctl archive makes one"
    case .missing, .damaged:
      "bring the file back from a copy of the archive; histctl verify names everything that is wrong"
    case .unreadable: "make it readable, or run the command as its owner"
    case .unwritable: "name a folder in which files can be made and that has room for them"
    case .unknownFormat: "use a newer histctl"
    case .unknownStore(_, _, let known):
      known.isEmpty ? "nothing was sealed there yet" : "it has " + known.joined(separator: ", ")
    case .severalStores(_, let stores): "name one: " + stores.joined(separator: ", ")
    case .malformedAnchor: "histctl archive prints it"
    case .unknownTransaction: "histctl info lists what an archive has"
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
    }
  }
}
