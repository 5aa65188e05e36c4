import HistoryCoding
import HistoryOperations
import StoreEditing
import Terminal

/// Writes what a scrubbed copy keeps, and the result: as a page, a line, or JSON.
struct ScrubReport: FieldPage {
  let session: Session
  let operation: ScrubOperation
  let plan: ScrubPlan

  // MARK: - For people

  /// Writes the plan.
  func writePage() throws {
    try field("store", plan.path, style: .heading)
    try field("copy", operation.copy)
    try fields("replaces", replaced, style: .deleted)
    try field("shifts", "dates and times, all by one secret number of seconds")
    try fields("leaves out", omitted)
    try fields(
      "empties",
      [
        list("tables that are not understood", plan.emptiedTables),
        list("columns that are not understood", plan.emptiedColumns),
      ])
    try fields("keeps", kept, style: .inserted)
    try field("key", key)
  }

  private var replaced: [String?] {
    let keys = operation.replacesNames ? "keys and values" : "values"
    return [
      "texts, numbers, UUIDs, URLs and data of \(plan.objectCount.counted("object"))",
      "preserved values of deleted objects, names of contexts",
      "the store's identifier, so tokens of the store do not work",
      list("\(keys) of the app's metadata", plan.applicationKeys),
      operation.replacesAuthors ? "authors, bundles and processes" : nil,
      operation.replacesNames
        ? "names of entities, attributes, relationships, tables, columns, indexes" : nil,
    ]
  }

  private var omitted: [String?] {
    [
      "external data, free pages, SQLite's statistics",
      list("settings of the file", plan.omittedSettings),
      plan.omitsModel
        ? "the model, which cannot be read or does not fit the tables"
        : operation.replacesNames && plan.hasModel
          ? "of the model: expressions, fetch indexes, rules of validation, user info" : nil,
      list(
        "triggers, views, search indexes, indexes with expressions or conditions",
        plan.omittedObjects),
    ]
  }

  private var kept: [String?] {
    let more = plan.authors.count < ScrubPlan.maxAuthors ? "" : ", …"
    return [
      operation.replacesNames
        ? "tables, the model, keys, relationships"
        : "tables, the model with all its names (--names replaces them), keys, relationships",
      "\(plan.transactionCount.counted("transaction")) with their numbers, "
        + plan.changeCount.counted("change")
        + (operation.replacesNames
          ? " and which attributes they set" : " with names of attributes"),
      "booleans, nulls, lengths, punctuation, and which values are equal",
      operation.replacesAuthors
        ? nil
        : list("authors, bundles and processes (--authors replaces them)", plan.authors)
          .map { $0 + more },
      list(keptColumns, plan.keptColumns),
    ]
  }

  private func list(_ title: String, _ names: [String]) -> String? {
    names.isEmpty ? nil : "\(title): \(names.joined(separator: ", "))"
  }

  private var keptColumns: String {
    plan.hasModel ? "counts that triggers keep" : "what looks like relationships, without a model"
  }

  private var key: String {
    operation.keyPath.map { "in \($0): keep it secret, it gives shifted dates and texts back" }
      ?? "used once and kept nowhere"
  }

  /// Writes the result.
  func write(_ result: ScrubOperation.Result) throws {
    try write(
      json(of: result),
      orLine: "\(operation.copy): \(result.summary.rowCount.counted("row")), "
        + "\(result.summary.valueCount.counted("value")) replaced")
    if !session.options.quiet, result.madeKey, let path = operation.keyPath {
      session.diagnostics.note("made the key \(path)")
    }
  }

  // MARK: - For programs

  /// The plan.
  var json: JSONValue {
    .record(
      "scrubPlan",
      [
        "path": plan.path, "store": plan.storeIdentifier, "copy": operation.copy,
        "objects": plan.objectCount, "rows": plan.rowCount, "transactions": plan.transactionCount,
        "changes": plan.changeCount, "hasModel": plan.hasModel,
        "keepsAuthors": !operation.replacesAuthors, "keepsNames": !operation.replacesNames,
        "authors": operation.replacesAuthors ? [] : plan.authors, "keptColumns": plan.keptColumns,
        "emptiedTables": plan.emptiedTables, "emptiedColumns": plan.emptiedColumns,
        "omittedSettings": plan.omittedSettings, "omittedObjects": plan.omittedObjects,
        "applicationKeys": plan.applicationKeys, "key": operation.keyPath,
      ])
  }

  private func json(of result: ScrubOperation.Result) -> JSONValue {
    .record(
      "scrub",
      [
        "path": plan.path, "store": result.storeIdentifier, "copy": operation.copy,
        "rows": result.summary.rowCount, "values": result.summary.valueCount,
        "key": operation.keyPath, "madeKey": operation.keyPath == nil ? nil : result.madeKey,
      ])
  }
}
