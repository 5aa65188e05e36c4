import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Says which range of a history is compared: in JSON always, in words where it may surprise.
struct DiffHeading {
  let session: Session
  let writer: OutputWriter
  /// The store's path in lines, where there are several stores; nil for none.
  var path: String?

  func write(_ range: HistoryRange, _ timeline: HistoryTimeline) throws {
    let store = timeline.storeIdentifier
    if session.options.json {
      var members: [(String, JSONValue)] = [("schema", 1), ("type", "diff")]
      if let path { members.append(("path", .string(path))) }
      if let store { members.append(("store", .string(store))) }
      members.append(("after", .integer(range.after)))
      members.append(("until", .integer(range.until)))
      if range.isReversed { members.append(("reversed", true)) }
      try writer.writeLine(.object(JSONObject(members)))
    }
    guard range.isReversed else { return }
    let tokens = TokenText(isQualified: session.options.qualified, store: store)
    session.diagnostics.warn(
      "the second token stands before the first; shown is what happened after "
        + "\(tokens.text(range.after)) up to \(tokens.text(range.until)), not its reverse",
      kind: "reversedRange",
      hint: "give the earlier token first")
  }
}
