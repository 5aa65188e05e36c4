import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

extension PrunePlan {
  /// The plan as one JSON object.
  var json: JSONValue {
    var members = JSONMembers(type: "prunePlan", path: path, store: storeIdentifier)
    if case .entity(let name) = request.target { members.add("entity", .string(name)) }
    members.add("transactions", .integer(Int64(deletion.transactionCount)))
    members.add("changes", .integer(Int64(deletion.changeCount)))
    members.add("bytes", byteCount.map(JSONValue.integer))
    members.add("values", recordedValues.map { .integer($0.valueCount) })
    members.add("cut", cut?.firstKept.map(JSONValue.integer))
    members.add("cutTimestamp", firstKept?.timestamp?.iso8601().map(JSONValue.string))
    if !deletion.isEmpty, cut == .end { members.add("deletesAll", .boolean(true)) }
    if isSmallEnough { members.add("smallEnough", .boolean(true)) }
    if !refusals.isEmpty { members.add("refused", .boolean(true)) }
    members.add("history", history.json)
    members.add("decidedBy", .array(deciders.map(JSONValue.string)))
    members.add("rules", .array(rules.map(\.json)))
    members.add("guards", .array(guards.map(\.json)))
    members.add("bookmarks", .array(bookmarks.map(\.json)))
    members.add("tokens", .array(tokens.map(\.json)))
    return members.json
  }

  /// What became of the plan as one JSON object.
  func json(of result: Erasure) -> JSONValue {
    var members = JSONMembers(type: "prune", path: path, store: storeIdentifier)
    members.add("transactions", .integer(Int64(result.deleted.transactionCount)))
    members.add("changes", .integer(Int64(result.deleted.changeCount)))
    if recordedValues != nil {
      members.add("values", .integer(Int64(result.recordedValueCount)))
    }
    members.add("complete", .boolean(result.problem == nil))
    members.add("batches", .integer(Int64(result.batchCount)))
    members.add("longestLock", .real(result.longestLock))
    return members.json
  }
}

extension PrunePlan.History {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("transactions", .integer(transactionCount))
    members.add("changes", .integer(changeCount))
    members.add("bytes", byteCount.map(JSONValue.integer))
    members.add("oldest", oldest?.json)
    members.add("newest", newest?.json)
    return members.json
  }
}

extension PrunePlan.RuleOutcome {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("rule", .string(rule.name))
    members.add("value", rule.value.map(JSONValue.string))
    members.add("cut", cut.firstKept.map(JSONValue.integer))
    return members.json
  }
}

extension RetentionGuard {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("guard", .string(name))
    if verdict == .refuses { members.add("refuses", .boolean(true)) }
    members.add("cut", cut?.firstKept.map(JSONValue.integer))
    members.add("reason", .string(reason))
    return members.json
  }
}

extension BookmarkOutlook {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("bookmark", .string(bookmark.name))
    members.add("transaction", number.map(JSONValue.integer))
    members.add("state", .string(state.name))
    if isTooFarBehind { members.add("tooFarBehind", .boolean(true)) }
    members.add("fate", .string(fate.rawValue))
    return members.json
  }
}

extension TokenOutlook {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("token", .string(token.text))
    members.add("transaction", token.number.map(JSONValue.integer))
    members.add("moment", token.moment?.timestamp.iso8601().map(JSONValue.string))
    members.add("timestamp", token.timestamp?.iso8601().map(JSONValue.string))
    members.add("state", .string(token.state.name))
    members.add("stateAfter", .string(stateAfter))
    return members.json
  }
}
