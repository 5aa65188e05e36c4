import DurableFiles
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// The contents of an archive according to its catalog and manifests. No segment is read.
package struct ArchiveOverview: Hashable, Sendable {
  /// The changes of one entity.
  package struct EntityCount: Hashable, Sendable {
    /// The name, or `#` and the number of an entity without a name.
    package let label: String
    package internal(set) var counts = ChangeCounts()
  }

  package struct Store: Hashable, Sendable {
    package let identifier: String
    package internal(set) var first: TransactionPosition
    package internal(set) var last: TransactionPosition
    /// The numbers of the transactions; history between two ranges is missing.
    package let ranges: [ClosedRange<Int64>]
    package let segmentCount: Int
    /// The number of segments with transactions that others have too, as a crash may leave them.
    package let overlapCount: Int
    package internal(set) var frameCount = 0
    package internal(set) var transactionCount: Int64 = 0
    package internal(set) var changeCount: Int64 = 0
    package internal(set) var byteCount: Int64 = 0
    package internal(set) var textByteCount: Int64 = 0
    /// The versions of the models that segments were sealed with, oldest first.
    package internal(set) var modelVersions: [String] = []
    /// The changes by entity, sorted by label.
    package internal(set) var entities: [EntityCount] = []

    package var gaps: [HistoryGap] {
      zip(ranges, ranges.dropFirst()).map {
        HistoryGap(store: identifier, after: $0.upperBound, oldest: $1.lowerBound)
      }
    }
  }

  package let path: String
  /// The head of the catalog's chain.
  package let head: ArchiveAnchor
  /// The stores, by identifier.
  package let stores: [Store]
  /// The length of the incomplete line at the end of the catalog.
  package let tornByteCount: Int
  /// The segments that the catalog does not list.
  package let unlisted: [UnlistedSegment]
  /// The number of all files in the folder.
  package private(set) var fileCount = 0
  /// The size of all files in the folder.
  package private(set) var fileByteCount: Int64 = 0

  package init(_ archive: Archive) throws(ArchiveError) {
    let catalog = try archive.catalog()
    path = archive.path
    head = catalog.head
    tornByteCount = catalog.tornByteCount
    var stores: [Store] = []
    for store in catalog.stores { try stores.append(Store(store, archive)) }
    self.stores = stores
    unlisted = try archive.unlistedSegments(catalog, ofStore: nil)
    try countFiles(in: archive.folder())
  }

  private mutating func countFiles(in folder: OpenFolder, depth: Int = 2) throws(ArchiveError) {
    for name in try ArchiveFile.names(in: folder) {
      let place = FilePlace(name, in: folder)
      do {
        // Another program may have removed it.
        guard let status = try place.status() else { continue }
        if status.st_mode & S_IFMT == S_IFREG {
          fileCount += 1
          fileByteCount &+= Int64(status.st_size)
        } else if status.st_mode & S_IFMT == S_IFDIR, depth > 1 {
          try countFiles(in: folder.folder(name), depth: depth - 1)
        }
      } catch let error as ArchiveError {
        throw error
      } catch let error as Errno where error == .noSuchFileOrDirectory {
        continue
      } catch {
        throw .unreadable(path: place.path, reason: ArchiveFile.reason(error))
      }
    }
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
    var entities: [String: ArchiveOverview.EntityCount] = [:]
    for entry in store.entries {
      let manifest = try archive.manifest(of: entry)
      if manifest.first.number == first.number { first = manifest.first }
      if manifest.last.number == last.number { last = manifest.last }
      frameCount += manifest.frames.count
      transactionCount &+= manifest.transactionCount
      changeCount &+= manifest.changeCount
      byteCount &+= manifest.byteCount
      textByteCount &+= manifest.textByteCount
      for version in manifest.schema.versionIdentifiers where !modelVersions.contains(version) {
        modelVersions.append(version)
      }
      for count in manifest.counts {
        let label = count.entity ?? count.number.map { "#\($0)" } ?? "#?"
        entities[label, default: .init(label: label)].counts.add(count.counts)
      }
    }
    self.entities = entities.values.sorted { $0.label < $1.label }
  }
}
