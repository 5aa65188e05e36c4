import PersistentHistory
import PropertyLists
import StoreFormat

/// A store that a search has found.
package struct FoundStore: Sendable {
  /// The place of a store that is not a file of its own, or that had another name.
  package enum Origin: Hashable, Sendable {
    /// A member of an archive; the bytes are those of the archive's path where it is not UTF-8.
    case member(archive: String, name: String, bytes: [UInt8]?)
    /// A file whose path has these bytes and is not UTF-8, which no other command can open.
    case bytes([UInt8])
    /// A file of a device's backup.
    case backup(folder: String, domain: String, relativePath: String, file: String)
  }

  /// The known facts about the history.
  package struct History: Sendable {
    package let transactionCount: Int64
    package let oldest: TransactionPosition?
    package let newest: TransactionPosition?
  }

  /// The path by which other commands open the store; in an archive or a backup, the path of that, `!/` and the name.
  package let path: String
  package let origin: Origin?
  package let identifier: String?
  package let app: FoundApp?
  /// The name of the simulated device that the store is on.
  package let device: String?
  package let framework: StoreOrigin
  package let frameworkVersion: FrameworkVersion?
  package let modelVersions: [String]
  package let entityNames: [String]
  /// The history; `nil` in a store without history tables.
  package let history: History?
  /// The bytes of all pages, those in the log too.
  package let byteCount: Int64
  /// The bytes of the log.
  package let logByteCount: Int64
  package let isMirrored: Bool

  /// The path where it is not UTF-8.
  package var pathBytes: [UInt8]? {
    switch origin {
    case .bytes(let bytes): bytes
    case .member(_, let name, let bytes?):
      bytes + Array((ContainedPath.separator + name).utf8)
    default: nil
    }
  }

  /// The path in Base64 where it is not UTF-8.
  package var encodedPath: String? {
    pathBytes.map(Base64.text)
  }

  init(
    _ snapshot: StoreSnapshot, path: String, origin: Origin?, place: StorePlace, logByteCount: Int64
  ) throws {
    self.path = path
    self.origin = origin
    self.logByteCount = logByteCount
    identifier = snapshot.metadata.storeIdentifier
    framework = StoreOrigin(model: try snapshot.modelCache().model, metadata: snapshot.metadata)
    frameworkVersion = snapshot.metadata.frameworkVersion
    modelVersions = snapshot.metadata.modelVersionIdentifiers
    entityNames = snapshot.entities.modelEntries.map(\.name)
    byteCount = try snapshot.storeByteCount()
    isMirrored = !snapshot.layout.mirroringTables.isEmpty
    var savingApp: FoundApp?
    if snapshot.layout.history == nil {
      history = nil
    } else {
      history = History(
        transactionCount: try snapshot.transactionCount(),
        oldest: try snapshot.oldestTransaction(), newest: try snapshot.newestTransaction())
      savingApp = try snapshot.newestText(.bundle).map {
        FoundApp(identifier: $0.string, source: .history)
      }
    }
    // A group belongs to several apps; the one that saved last is more specific.
    app = place.app?.source == .group ? savingApp ?? place.app : place.app ?? savingApp
    device = place.device
  }
}

/// The app that a store belongs to.
package struct FoundApp: Hashable, Sendable {
  /// Where the identifier comes from.
  package enum Source: String, CaseIterable, Sendable {
    /// The app's container.
    case container
    /// The container that several apps share; the identifier is that of their group.
    case group
    /// The domain of a file in a backup.
    case backup
    /// The bundle of the newest transaction.
    case history
  }

  /// The bundle identifier, or the identifier of a group.
  package let identifier: String
  package let source: Source
}
