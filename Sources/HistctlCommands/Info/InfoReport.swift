import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

/// What there is to say of a store: one value for text and JSON.
struct InfoReport {
  /// Something to know about the store.
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
  /// The history; nil in a store without history tables.
  let overview: HistoryOverview?
  let bookmarks: [Bookmark]
  /// Why the bookmarks cannot be read; nil where they can.
  let bookmarkProblem: HistoryError?
  /// How the bookmarks stand, by name; empty in a store without history tables.
  let standings: [String: BookmarkStanding]
  /// How far mirroring to CloudKit has come; nil where the store is not mirrored, or keeps no history.
  let mirroring: MirroringState?
  /// What was recorded of values beside the store; nil where nothing is.
  let values: (path: String, extent: RecordedValuesFile.Extent)?
  let notices: [Notice]

  init(
    snapshot: StoreSnapshot, schema: HistorySchema, bookmarkPath: String?,
    values recorded: RecordedValues?, logProblem: String? = nil
  ) throws {
    values = try recorded.map { ($0.path, try $0.extent()) }
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

  /// What is damaged, but for a log that was told of and counters for which there is another notice.
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
            "the store has issued lower numbers than its history holds: a copy that lost its -wal"))
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
            "the history has the layout of macOS 10.13; column masks of that time can hold noise"))
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

  /// The report as one JSON object.
  var json: JSONValue {
    var members = JSONMembers.start("info") + [("path", .string(path))]
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append((key, value)) }
    }
    add("store", metadata.storeIdentifier.map(JSONValue.string))
    add("origin", .string(origin.name))
    add("frameworkVersion", (metadata.frameworkVersion?.number).map(JSONValue.integer))
    add("system", (metadata.frameworkVersion?.system).map(JSONValue.string))
    add("modelVersions", .array(metadata.modelVersionIdentifiers.map(JSONValue.string)))
    add("modelEntities", .array(entityNames.map(JSONValue.string)))
    add("storeBytes", .integer(storeByteCount))
    add("freeBytes", .integer(freeByteCount))
    add("mirrored", .boolean(!layout.mirroringTables.isEmpty))
    add("mirroring", mirroring?.json)
    add("hasHistory", .boolean(overview != nil))
    if let overview { members += overview.jsonMembers }
    add("bookmarks", .array(bookmarks.map { $0.json(standings[$0.name]) }))
    add("values", values.map { $0.extent.json(path: $0.path) })
    add("notices", .array(notices.map { ["kind": .string($0.kind), "message": .string($0.text)] }))
    return .object(JSONObject(members))
  }
}

extension RecordedValuesFile.Extent {
  /// The extent as a JSON object.
  fileprivate func json(path: String) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("path", .string(path)), ("bytes", .integer(byteCount)),
    ]
    if let first { members.append(("first", .integer(first.number))) }
    if let last { members.append(("last", .integer(last.number))) }
    return .object(JSONObject(members))
  }
}

extension StoreOrigin {
  /// The origin in a word.
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
      .array(
        counts.map {
          [
            (key, $0.text.map { .string($0.string) } ?? .null),
            ("transactions", .integer($0.count)),
          ]
        }.map { .object(JSONObject($0)) })
    }
    return [
      ("transactions", .integer(transactionCount)), ("changes", .integer(changeCount)),
      ("oldest", oldest?.json ?? .null), ("newest", newest?.json ?? .null),
      ("highestIssued", .integer(highestIssued)),
      ("historyBytes", historyByteCount.map(JSONValue.integer) ?? .null),
      ("entities", .array(entities.map { EntityCounts($0).json })),
      ("authors", texts("author", authors)), ("bundles", texts("bundle", bundles)),
      ("processes", texts("process", processes)),
    ]
  }
}

extension Bookmark {
  /// The bookmark as a JSON object.
  fileprivate func json(_ standing: BookmarkStanding?) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("name", .string(name)), ("token", .string(token.description)),
    ]
    if let time = timestamp?.iso8601() { members.append(("timestamp", .string(time))) }
    if let standing { members.append(("state", .string(standing.token.state.name))) }
    if let lag = standing?.lag {
      members.append(("transactionsBehind", .integer(lag.transactions)))
    }
    return .object(JSONObject(members))
  }
}
