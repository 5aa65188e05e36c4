import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// An archive that is so small that every bit of it can be flipped, and what is found in it then.
struct TinyArchive {
  let folder: TemporaryFolder
  let archive: Archive
  let entries: [CatalogEntry]
  let history: StoreHistory

  /// The store of which it is.
  var storePath: String { folder.file("tiny.store") }

  /// Makes it.
  ///
  /// - Parameter ranges: The transactions of each segment, among 1 to 4.
  init(_ ranges: [ClosedRange<Int64>] = [1...2, 3...4]) throws {
    folder = try TemporaryFolder()
    history = try StoreHistory(path: Self.writeStore(to: folder.file("tiny.store")))
    var made = try HandmadeArchive(in: folder.file("archive"))
    for range in ranges {
      try made.add(
        history.transactions.filter { range.contains($0.number) }, store: history.identifier,
        after: range.lowerBound > 1 ? range.lowerBound - 1 : nil, schema: history.schema)
    }
    archive = made.archive
    entries = made.entries
  }

  /// A store of one entity with one attribute, and four transactions.
  private static func writeStore(to path: String) throws -> String {
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(
      try ModelArchive.cache(
        of: ManagedModel(entities: [
          ManagedEntity(
            name: "Tag",
            properties: [
              .attribute(.init(name: "label", type: .string, preservesValueOnDeletion: true))
            ])
        ])))
    shape.tombstoneColumns = 1
    let writer = try StoreWriter(path: path, shape: shape)
    try writer.sql("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME <> 'Tag'")
    for number in 1...Int64(4) {
      try writer.transaction(number, author: "app")
      try writer.change(
        number, of: number, number % 2 == 0 ? 1 : 0, 4, number, mask: number % 2 == 0 ? [0x80] : nil
      )
    }
    try writer.change(5, of: 4, 2, 4, 1, tombstone: [.text("x")])
    try writer.close()
    return path
  }

  /// The files, the catalog first.
  var paths: [String] {
    [archive.catalogPath]
      + entries.flatMap { [archive.manifestPath($0), archive.segmentPath($0)] }
  }

  /// What is found.
  func verify(
    _ change: (inout ArchiveVerification.Options) -> Void = { _ in }
  ) throws -> ArchiveVerification {
    var options = ArchiveVerification.Options()
    change(&options)
    return try ArchiveVerification(path: archive.path, options: options)
  }
}

extension ArchiveVerification {
  /// How many findings there are of each kind.
  var counts: [ArchiveFindingKind: Int64] {
    Dictionary(uniqueKeysWithValues: findings.kinds.map { ($0, findings.count(of: $0)) })
  }

  /// All findings that were kept.
  var all: [Finding<ArchiveFindingKind>] { findings.kinds.flatMap(findings.findings) }

  /// Whether a finding names a file.
  func names(_ path: String) -> Bool {
    all.contains { finding in
      switch finding.place {
      case .file(let file), .line(_, let file), .frame(_, let file): file == path
      default: false
      }
    }
  }
}
