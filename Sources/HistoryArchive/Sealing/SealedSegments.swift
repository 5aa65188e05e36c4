import StoreFormat

/// What a run of sealing has come to.
package struct SealedSegments: Hashable, Sendable {
  /// One segment.
  package struct Segment: Hashable, Sendable {
    /// Its line in the catalog.
    package let entry: CatalogEntry
    /// What it holds.
    package let manifest: SegmentManifest
    /// Whether an earlier run had sealed it, and did not come to enter it into the catalog.
    package let isAdopted: Bool
  }

  /// The archive.
  package let archivePath: String
  /// The identifier of the store.
  package let store: String
  /// The segments that were added to the catalog, oldest first.
  package internal(set) var segments: [Segment] = []
  /// The last transaction that is sealed; nil where there is none.
  package internal(set) var last: TransactionPosition?
  /// The head of the chain.
  package internal(set) var head: ArchiveAnchor

  /// How many transactions were added to the catalog.
  package var transactionCount: Int64 {
    segments.reduce(0) { $0 + $1.manifest.transactionCount }
  }

  /// How many changes were added to the catalog.
  package var changeCount: Int64 {
    // What an adopted one says of its changes is not known to be true.
    segments.reduce(0) { $0 &+ $1.manifest.changeCount }
  }

  /// How many bytes the added segments have.
  package var byteCount: Int64 { segments.reduce(0) { $0 + $1.manifest.byteCount } }

  /// How many bytes of text they hold.
  package var textByteCount: Int64 { segments.reduce(0) { $0 + $1.manifest.textByteCount } }
}
