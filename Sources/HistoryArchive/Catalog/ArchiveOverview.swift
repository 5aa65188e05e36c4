import DurableFiles
import PersistentHistory
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What an archive has, as its catalog and its manifests tell; no segment is read.
package struct ArchiveOverview: Hashable, Sendable {
  /// How many changes there are of one entity.
  package struct EntityCount: Hashable, Sendable {
    /// The entity's name, or its number after a `#` where it has none.
    package let label: String
    /// How many inserts.
    package internal(set) var inserts: Int64 = 0
    /// How many updates.
    package internal(set) var updates: Int64 = 0
    /// How many deletes.
    package internal(set) var deletes: Int64 = 0
  }

  /// What there is of one store.
  package struct Store: Hashable, Sendable {
    /// The identifier of the store.
    package let identifier: String
    /// The first transaction.
    package internal(set) var first: TransactionPosition
    /// The last transaction.
    package internal(set) var last: TransactionPosition
    /// The numbers that there are; between two ranges history is missing.
    package let ranges: [ClosedRange<Int64>]
    /// How many segments there are.
    package let segmentCount: Int
    /// How many of them have transactions that others have too, as a crash may leave them.
    package let overlapCount: Int
    /// How many frames the segments have.
    package internal(set) var frameCount = 0
    /// How many transactions the segments have.
    package internal(set) var transactionCount: Int64 = 0
    /// How many changes the segments have.
    package internal(set) var changeCount: Int64 = 0
    /// How many bytes the segments have.
    package internal(set) var byteCount: Int64 = 0
    /// How many bytes of text the segments have.
    package internal(set) var textByteCount: Int64 = 0
    /// The versions of the models that segments were sealed with, oldest first.
    package internal(set) var modelVersions: [String] = []
    /// The changes by entity, by label.
    package internal(set) var entities: [EntityCount] = []

    /// The places where history is missing.
    package var gaps: [HistoryGap] {
      zip(ranges, ranges.dropFirst()).map {
        HistoryGap(store: identifier, after: $0.upperBound, oldest: $1.lowerBound)
      }
    }
  }

  /// The folder.
  package let path: String
  /// The head of the catalog's chain, to be kept elsewhere.
  package let head: ArchiveAnchor
  /// The stores, by identifier.
  package let stores: [Store]
  /// How many bytes stand behind the catalog's last whole line, as a crash may leave them.
  package let tornByteCount: Int
  /// How many files are in the folder, with the catalog, the manifests and whatever else is there.
  package let fileCount: Int
  /// How many bytes they have.
  package let fileByteCount: Int64

  /// Reads the catalog and all manifests.
  ///
  /// - Throws: ``ArchiveError``.
  package init(_ archive: Archive) throws(ArchiveError) {
    let catalog = try archive.catalog()
    path = archive.path
    head = catalog.head
    tornByteCount = catalog.tornByteCount
    var stores: [Store] = []
    for store in catalog.stores { try stores.append(Store(store, archive)) }
    self.stores = stores
    (fileCount, fileByteCount) = Self.files(in: path)
  }

  /// Counts the files in a folder and in the folders of the stores.
  private static func files(in folder: String, depth: Int = 2) -> (count: Int, byteCount: Int64) {
    var total = (count: 0, byteCount: Int64(0))
    for name in FolderNames.read(folder) where name != "." && name != ".." {
      let path = folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG {
        total = (total.count + 1, total.byteCount &+ Int64(status.st_size))
      } else if status.st_mode & S_IFMT == S_IFDIR, depth > 1 {
        let inner = files(in: path, depth: depth - 1)
        total = (total.count + inner.count, total.byteCount &+ inner.byteCount)
      }
    }
    return total
  }
}

extension ArchiveOverview.Store {
  fileprivate init(_ store: ArchivedStore, _ archive: Archive) throws(ArchiveError) {
    identifier = store.identifier
    ranges = store.runs.map { $0.first...max($0.first, $0.last) }
    segmentCount = store.entries.count
    overlapCount = store.overlapping.count
    first = TransactionPosition(number: store.first ?? 0, timestamp: nil)
    last = TransactionPosition(number: store.last ?? 0, timestamp: nil)
    var counts: [String: ArchiveOverview.EntityCount] = [:]
    var versions: Set<String> = []
    for entry in store.entries {
      let manifest = try archive.manifest(of: entry)
      if manifest.first.number == first.number { first = manifest.first }
      if manifest.last.number == last.number { last = manifest.last }
      frameCount += manifest.frames.count
      transactionCount &+= manifest.transactionCount
      changeCount &+= manifest.changeCount
      byteCount &+= manifest.byteCount
      textByteCount &+= manifest.textByteCount
      for version in manifest.schema.versionIdentifiers where versions.insert(version).inserted {
        modelVersions.append(version)
      }
      for count in manifest.counts {
        let label = count.entity ?? count.number.map { "#\($0)" } ?? "#?"
        var entity = counts[label] ?? ArchiveOverview.EntityCount(label: label)
        entity.inserts &+= count.inserts
        entity.updates &+= count.updates
        entity.deletes &+= count.deletes
        counts[label] = entity
      }
    }
    entities = counts.values.sorted { $0.label < $1.label }
  }
}
