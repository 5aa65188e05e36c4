import HistoryCoding
import PersistentHistory
import StoreFormat

/// What a sample store holds, as read from itself, and what to try on it: one value for text and
/// JSON.
struct DemoReport {
  let path: String
  let storeIdentifier: String?
  let overview: HistoryOverview
  let tour: DemoTour

  /// - Parameters:
  ///   - path: The store's path as the report and its commands name it.
  ///   - program: How the program was called.
  init(snapshot: StoreSnapshot, path: String, program: String, isQualified: Bool) throws {
    self.path = path
    storeIdentifier = snapshot.metadata.storeIdentifier
    overview = try HistoryOverview(snapshot: snapshot)
    tour = try DemoTour(
      snapshot: snapshot, path: path, program: program,
      tokens: TokenText(isQualified: isQualified, store: storeIdentifier))
  }

  /// The report as one JSON object.
  var json: JSONValue {
    func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    return [
      "schema": .integer(HistoryLine.schema), "type": "demo", "path": .string(path),
      "store": text(storeIdentifier),
      "transactions": .integer(overview.transactionCount),
      "changes": .integer(overview.changeCount), "oldest": overview.oldest?.json ?? .null,
      "newest": overview.newest?.json ?? .null, "validToken": text(tour.validToken),
      "expiredToken": text(tour.expiredToken),
      "commands": .array(
        tour.steps.map {
          [
            "command": .string($0.command), "reason": .string($0.reason),
            "status": .integer(Int64($0.status.rawValue)),
          ]
        }),
    ]
  }
}
