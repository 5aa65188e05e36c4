import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

/// What is known of a store and its history.
struct InfoReport {
  /// A note on the store.
  struct Notice {
    let kind: String
    let text: String
  }

  let path: String
  let metadata: StoreMetadata
  let origin: StoreOrigin
  let layout: StoreLayout
  let entityNames: [String]
  let storeByteCount: Int64
  let freeByteCount: Int64
  /// The history; `nil` for a store without history tables.
  let overview: HistoryOverview?
  let bookmarks: [Bookmark]
  /// Why the bookmarks cannot be read; `nil` if they can.
  let bookmarkProblem: HistoryError?
  /// The states of the bookmarks by name; empty without history tables.
  let standings: [String: BookmarkStanding]
  /// The progress of mirroring to CloudKit; `nil` if the store is not mirrored, or keeps no history.
  let mirroring: MirroringState?
  let values: KnownValues
  let notices: [Notice]

  init(
    snapshot: StoreSnapshot, schema: HistorySchema, bookmarkPath: String?,
    values recorded: RecordedValues?, logProblem: String? = nil
  ) throws {
    values = try KnownValues(snapshot, recorded)
    path = snapshot.location.path
    metadata = snapshot.metadata
    origin = StoreOrigin(model: try snapshot.modelCache().model, metadata: snapshot.metadata)
    layout = snapshot.layout
    entityNames = snapshot.entities.modelEntries.map(\.name)
    storeByteCount = try snapshot.storeByteCount()
    freeByteCount = try snapshot.freeByteCount()
    overview =
      snapshot.layout.history == nil ? nil : try HistoryOverview(snapshot: snapshot, schema: schema)
    (bookmarks, bookmarkProblem) = BookmarkFile.readable(
      in: bookmarkPath ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath))
    standings =
      overview == nil
      ? [:]
      : Dictionary(
        try BookmarkStanding.standings(of: bookmarks, in: snapshot).map { ($0.bookmark.name, $0) },
        uniquingKeysWith: { first, _ in first })
    mirroring = overview == nil ? nil : try MirroringState(snapshot: snapshot)
    notices =
      (logProblem.map { [Notice(kind: "damagedLog", text: $0)] } ?? [])
      + InfoReport.damage(try EvidentDamage(of: snapshot), logProblem: logProblem)
      + InfoReport.notices(snapshot.metadata, snapshot.layout, overview, mirroring)
      + (bookmarkProblem.map { [Notice(kind: "unreadableBookmarks", text: $0.message)] } ?? [])
  }

  /// Lists damage, except that of the log and of counters if there is another notice.
  private static func damage(_ damage: EvidentDamage, logProblem: String?) -> [Notice] {
    damage.findings.filter { $0.kind != .tornCounter && !($0.isOfLog && logProblem != nil) }.map {
      Notice(kind: $0.kind.rawValue, text: "damaged: \($0.place): \($0.detail)")
    }
  }

  private static func notices(
    _ metadata: StoreMetadata, _ layout: StoreLayout, _ overview: HistoryOverview?,
    _ mirroring: MirroringState?
  ) -> [Notice] {
    var notices: [Notice] = []
    if let overview, overview.isTorn {
      notices.append(
        Notice(
          kind: "torn",
          text:
            "the store issued lower numbers than its history contains: a copy that lost its -wal"))
    }
    if let overview, overview.oldest == nil, overview.highestIssued > 0 {
      notices.append(
        Notice(
          kind: "emptied",
          text:
            "the history was emptied after number \(overview.highestIssued): every saved token has expired"
        ))
    } else if let oldest = overview?.oldest, oldest.number > 1 {
      notices.append(
        Notice(
          kind: "pruned",
          text: "the history was pruned before number \(oldest.number): older tokens have expired"))
    }
    if !layout.mirroringTables.isEmpty {
      notices.append(
        Notice(
          kind: "mirrored",
          text: "the store is mirrored to CloudKit, which needs its history"
            + (mirroring.map { $0.need.text } ?? "")))
    }
    if layout.history?.internsStrings == false {
      notices.append(
        Notice(
          kind: "oldLayout",
          text:
            "the history has the layout of macOS 10.13; column masks of that time can be unreliable"
        ))
    }
    if layout.history?.indexesChangesByTransaction == false {
      notices.append(
        Notice(
          kind: "missingIndex",
          text: "the index of changes by transaction is missing, so reading is slow"))
    }
    if !metadata.isComplete {
      notices.append(
        Notice(kind: "missingMetadata", text: "the store's property list is missing or unreadable"))
    }
    return notices
  }

  var json: JSONValue {
    .record(
      "info",
      [
        "path": path, "store": metadata.storeIdentifier, "origin": origin.name,
        "frameworkVersion": metadata.frameworkVersion?.number,
        "system": metadata.frameworkVersion?.system,
        "modelVersions": metadata.modelVersionIdentifiers, "modelEntities": entityNames,
        "storeBytes": storeByteCount, "freeBytes": freeByteCount,
        "mirrored": !layout.mirroringTables.isEmpty, "mirroring": mirroring?.json,
        "hasHistory": overview != nil,
      ],
      and: (overview?.jsonMembers ?? [])
        + JSONValue.list(of: [
          "bookmarks": bookmarks.map { $0.json(standings[$0.name]) },
          "values": values.recordedJSON, "logValues": values.logJSON,
          "notices": notices.map { JSONValue.object(of: ["kind": $0.kind, "message": $0.text]) },
        ]))
  }
}

extension StoreOrigin {
  /// The name of the origin.
  var name: String {
    switch self {
    case .swiftData: "SwiftData"
    case .perhapsSwiftData: "Core Data or SwiftData"
    case .coreData: "Core Data"
    }
  }
}

extension HistoryOverview {
  /// The members of the JSON of `info` that are about history.
  fileprivate var jsonMembers: [(String, JSONValue)] {
    func texts(_ key: String, _ counts: [TextCount]) -> JSONValue {
      counts.map { count -> JSONValue in
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
  fileprivate func json(_ standing: BookmarkStanding?) -> JSONValue {
    .object(of: [
      "name": name, "token": token.description, "timestamp": timestamp?.iso8601(),
      "state": standing?.token.state.name, "transactionsBehind": standing?.lag?.transactions,
    ])
  }
}
