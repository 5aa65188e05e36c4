import StoreFormat

/// What a run of sealing has come to.
public struct SealedSegments: Hashable, Sendable {
  /// One segment.
  public struct Segment: Hashable, Sendable {
    /// Its line in the catalog.
    public let entry: CatalogEntry
    /// What it holds.
    public let manifest: SegmentManifest
    /// Whether an earlier run had sealed it, and did not come to enter it into the catalog.
    public let isAdopted: Bool
  }

  /// The archive.
  public let archivePath: String
  /// The identifier of the store.
  public let store: String
  /// The segments that were added to the catalog, oldest first.
  public internal(set) var segments: [Segment] = []
  /// The last transaction that is sealed; nil where there is none.
  public internal(set) var last: TransactionPosition?
  /// The head of the chain.
  public internal(set) var head: ArchiveAnchor

  /// How many transactions were added to the catalog.
  public var transactionCount: Int64 {
    segments.reduce(0) { $0 + $1.manifest.transactionCount }
  }

  /// How many changes were added to the catalog.
  public var changeCount: Int64 {
    // What an adopted one says of its changes is not known to be true.
    segments.reduce(0) { $0 &+ $1.manifest.changeCount }
  }

  /// How many bytes the added segments have.
  public var byteCount: Int64 { segments.reduce(0) { $0 + $1.manifest.byteCount } }

  /// How many bytes of text they hold.
  public var textByteCount: Int64 { segments.reduce(0) { $0 + $1.manifest.textByteCount } }
}
