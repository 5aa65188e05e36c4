import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// What is known of a store and its history.
struct InfoReport {
  let path: String
  /// The copy that was read in place of the store; `nil` if the store itself was.
  let copyPath: String?
  let metadata: StoreMetadata
  let origin: StoreOrigin
  let layout: StoreLayout
  let entityNames: [String]
  let storeByteCount: Int64
  let freeByteCount: Int64
  /// The bytes of the write-ahead log, whose pages can stand in it many times.
  let logByteCount: Int64
  /// The history; `nil` for a store without history tables.
  let overview: HistoryOverview?
  let bookmarks: [Bookmark]
  /// Why the bookmarks cannot be read; `nil` if they can.
  let bookmarkProblem: HistoryError?
  /// The states of the bookmarks by name; empty without history tables.
  let statuses: [String: BookmarkStatus]
  /// The progress of mirroring to CloudKit; `nil` if the store is not mirrored, or keeps no history.
  let mirroring: MirroringState?
  let values: KnownValues
  private(set) var notices: [StoreNotice]
  /// The digests of the files; `nil` unless they are wanted.
  var digests: DigestComparison? {
    didSet { notices.add("changedFiles", digests?.notice) }
  }

  init(
    snapshot: StoreSnapshot, schema: HistorySchema, bookmarkPath: String?,
    values recorded: RecordedValues?, logProblem: String? = nil
  ) throws {
    values = try KnownValues(snapshot, recorded)
    path = snapshot.location.path
    copyPath = snapshot.location.isWorkingCopy ? snapshot.location.resolvedPath : nil
    metadata = snapshot.metadata
    origin = StoreOrigin(model: try snapshot.modelCache().model, metadata: snapshot.metadata)
    layout = snapshot.layout
    entityNames = snapshot.entities.modelEntries.map(\.name)
    storeByteCount = try snapshot.storeByteCount()
    freeByteCount = try snapshot.freeByteCount()
    logByteCount = try snapshot.location.logSize()
    overview =
      snapshot.layout.history == nil ? nil : try HistoryOverview(snapshot: snapshot, schema: schema)
    (bookmarks, bookmarkProblem) = BookmarkFile.readable(
      named: bookmarkPath, beside: snapshot.location)
    statuses =
      overview == nil
      ? [:]
      : Dictionary(
        keepingFirst: try BookmarkStatus.statuses(of: bookmarks, in: snapshot).map {
          ($0.bookmark.name, $0)
        })
    mirroring = overview == nil ? nil : try MirroringState(snapshot: snapshot)
    notices = try .init(
      on: snapshot, reach: overview?.reach, mirroring: mirroring, logProblem: logProblem)
    notices.add("unreadableBookmarks", bookmarkProblem?.message)
    if overview.map(\.listsAllTexts) == false {
      notices.add(
        "notListed",
        "of authors, bundles and processes, only those with the most transactions are "
          + "listed, up to \(StoreSnapshot.maxTexts) and "
          + "\(ByteCount(Int64(StoreSnapshot.maxTextBytes))) of each")
    }
  }

  var json: JSONValue {
    .record(
      "info",
      [
        "path": path, "copy": copyPath, "store": metadata.storeIdentifier, "origin": origin.name,
        "frameworkVersion": metadata.frameworkVersion?.number,
        "system": metadata.frameworkVersion?.system,
        "modelVersions": metadata.modelVersionIdentifiers, "modelEntities": entityNames,
        "storeBytes": storeByteCount, "freeBytes": freeByteCount,
        "logBytes": logByteCount,
        "mirrored": !layout.mirroringTables.isEmpty, "mirroring": mirroring?.json,
        "hasHistory": overview != nil,
      ],
      and: (overview?.jsonMembers ?? [])
        + JSONValue.list(of: [
          "bookmarks": bookmarks.map { $0.json(statuses[$0.name]) },
          "values": values.recordedJSON, "logValues": values.logJSON, "hashes": digests?.json,
          "notices": notices.map(\.json),
        ]))
  }
}

extension HistoryOverview {
  /// The members of the JSON of `info` that are about history.
  fileprivate var jsonMembers: [(String, JSONValue)] {
    func texts(_ key: String, _ texts: TextCounts) -> JSONValue {
      texts.counts.map { count -> JSONValue in
        .object(
          JSONObject([
            (key, count.text.map { .string($0.string) } ?? .null),
            ("transactions", .integer(count.count)),
          ]))
      }.json
    }
    return JSONValue.list(of: [
      "transactions": transactionCount, "changes": changeCount,
      "oldest": oldest?.json ?? JSONValue.null, "newest": newest?.json ?? JSONValue.null,
      "highestIssued": highestIssued, "historyBytes": historyByteCount?.json ?? JSONValue.null,
      "entities": entities.map { EntityCounts($0).json }, "authors": texts("author", authors),
      "bundles": texts("bundle", bundles), "processes": texts("process", processes),
    ])
  }
}

extension Bookmark {
  fileprivate func json(_ status: BookmarkStatus?) -> JSONValue {
    .object(of: [
      "name": name, "token": token.description, "timestamp": timestamp?.iso8601(),
      "state": status?.token.state.name, "transactionsBehind": status?.lag?.transactions,
    ])
  }
}
