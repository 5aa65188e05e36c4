import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

extension RestorePlan {
  /// The plan as one JSON object.
  func json(archivePath: String) -> JSONValue {
    var members = members(type: "restorePlan", archivePath: archivePath)
    members.add("transactions", .integer(Int64(transactionCount)))
    members.add("changes", .integer(Int64(changeCount)))
    members.add("first", first?.json)
    members.add("last", last?.json)
    members.add("completes", completed?.json)
    members.add("oldest", oldest?.json)
    members.add("newest", newest?.json)
    members.add("oldestAfterwards", oldestAfterwards?.json)
    members.add("texts", textCount > 0 ? .integer(Int64(textCount)) : nil)
    members.add("translatedEntities", .array(translatedEntities.map(JSONValue.string)))
    if !refusals.isEmpty { members.add("refused", .boolean(true)) }
    members.add(
      "guards",
      .array(
        guards.map { guardian in
          .object([
            "guard": .string(guardian.name), "refuses": .boolean(guardian.verdict == .refuses),
            "reason": .string(guardian.reason),
          ])
        }))
    members.add(
      "bookmarks",
      .array(
        returningBookmarks.map { returning in
          .object([
            "bookmark": .string(returning.bookmark.name), "transaction": .integer(returning.number),
          ])
        }))
    return members.json
  }

  /// What became of the plan as one JSON object.
  func json(of result: InsertionResult, archivePath: String) -> JSONValue {
    var members = members(type: "restore", archivePath: archivePath)
    members.add("transactions", .integer(Int64(result.inserted.transactionCount)))
    members.add("changes", .integer(Int64(result.inserted.changeCount)))
    members.add("complete", .boolean(result.problem == nil))
    members.add("batches", .integer(Int64(result.batchCount)))
    members.add("longestLock", .real(result.longestLock))
    return members.json
  }

  /// What both begin with.
  private func members(type: String, archivePath: String) -> JSONMembers {
    var members = JSONMembers(type: type, path: path, store: storeIdentifier)
    members.add("archive", .string(archivePath))
    return members
  }
}
