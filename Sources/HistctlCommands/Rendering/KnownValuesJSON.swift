import HistoryCoding
import PersistentHistory
import StoreFormat

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
