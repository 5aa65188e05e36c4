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
      "transactions": transactionCount, "changes": changeCount?.json ?? JSONValue.null,
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

extension KnownValues {
  /// The transactions in the file of recorded values.
  var recordedJSON: JSONValue? {
    guard let path, let recorded else { return nil }
    let gaps: [JSONValue] = gaps.map {
      .object(of: ["first": $0.lowerBound, "last": $0.upperBound])
    }
    return .object(of: [
      "path": path, "bytes": recorded.byteCount, "first": recorded.first?.number,
      "last": recorded.last?.number, "gaps": gaps.isEmpty ? nil : gaps,
    ])
  }

  /// The transactions whose values the log holds.
  var logJSON: JSONValue? {
    log.map { .object(of: ["first": $0.first, "last": $0.last, "problem": $0.problem]) }
  }
}

extension MirroringState {
  /// Returns the progress of the mirror in words.
  func text(_ tokens: TokenText) -> String {
    var text = "to CloudKit"
    if let token, let number = token.number {
      text += ", history read up to \(tokens.text(number))"
      if token.state != .valid { text += " (\(token.state.name))" }
    }
    if let transactionsBehind, transactionsBehind > 0 {
      text += ", \(transactionsBehind.counted("transaction")) behind"
    }
    if let exports {
      text +=
        exports.pendingCount == 0
        ? ", no record is pending"
        : ", \(exports.pendingCount) of \(exports.recordCount) records are pending"
    }
    return text
  }

  /// Returns a line on each kind of work that the mirror has logged.
  func activityTexts(_ time: TimeText) -> [String] {
    switch activities {
    case .value(let activities): activities.map { $0.text(time) }
    case .unreadable(let reason): ["not known: \(reason)"]
    }
  }

  var json: JSONValue {
    let (neededFrom, reason): (Int64?, String?) =
      switch need {
      case .from(let number): (number, nil)
      case .unknown(let reason): (nil, reason)
      }
    let (events, eventsReason): ([JSONValue]?, String?) =
      switch activities {
      case .value(let activities): (activities.map(\.json), nil)
      case .unreadable(let reason): (nil, reason)
      }
    return .object(of: [
      "transaction": token?.number, "state": token?.state.name, "behind": transactionsBehind,
      "records": exports?.recordCount, "pendingRecords": exports?.pendingCount,
      "lowestPending": exports?.lowestPending, "neededFrom": neededFrom, "reason": reason,
      "events": events, "eventsReason": eventsReason,
    ])
  }
}

extension MirroringActivity {
  /// Returns in words whether the work succeeds, and since when it does not.
  func text(_ time: TimeText) -> String {
    if let failures {
      let success = lastSuccess.map { "last succeeded \(time.text($0))" } ?? "never succeeded"
      return "\(kind.name) \(failures.text(time)); \(success)"
    }
    if let lastSuccess { return "\(kind.name) succeeded \(time.text(lastSuccess))" }
    return "\(kind.name) started \(time.text(started)) and has not ended"
  }

  fileprivate var json: JSONValue {
    .object(of: [
      "event": kind.name, "started": started?.iso8601(), "ended": ended?.iso8601(),
      "lastSuccess": lastSuccess?.iso8601(), "failures": failures?.count ?? 0,
      "failingSince": failures?.since?.iso8601(), "errorDomain": failures?.errorDomain,
      "errorCode": failures?.errorCode,
    ])
  }
}

extension MirroringActivity.Failures {
  /// Returns since when the work fails, how often, and with which error.
  func text(_ time: TimeText) -> String {
    let since = self.since.map { " since \(time.text($0))" } ?? ""
    let error = [errorDomain, errorCode.map(String.init), errorName].compactMap(\.self)
    return "fails\(since), \(count.counted("attempt"))"
      + (error.isEmpty ? "" : " (\(error.joined(separator: " ")))")
  }

  /// The name that `CKError.Code` gives the code of a CloudKit error.
  private var errorName: String? {
    guard errorDomain == "CKErrorDomain", let errorCode else { return nil }
    return [
      1: "internalError", 2: "partialFailure", 3: "networkUnavailable", 4: "networkFailure",
      5: "badContainer", 6: "serviceUnavailable", 7: "requestRateLimited",
      8: "missingEntitlement", 9: "notAuthenticated", 10: "permissionFailure", 11: "unknownItem",
      12: "invalidArguments", 14: "serverRecordChanged", 15: "serverRejectedRequest",
      16: "assetFileNotFound", 17: "assetFileModified", 18: "incompatibleVersion",
      19: "constraintViolation", 20: "operationCancelled", 21: "changeTokenExpired",
      22: "batchRequestFailed", 23: "zoneBusy", 24: "badDatabase", 25: "quotaExceeded",
      26: "zoneNotFound", 27: "limitExceeded", 28: "userDeletedZone", 29: "tooManyParticipants",
      30: "alreadyShared", 31: "referenceViolation", 32: "managedAccountRestricted",
      33: "participantMayNeedVerification", 34: "serverResponseLost", 35: "assetNotAvailable",
      36: "accountTemporarilyUnavailable",
    ][errorCode]
  }
}
