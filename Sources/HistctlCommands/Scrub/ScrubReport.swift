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
    try writeReplaced()
    try field("shifts", "dates and times, all by one secret number of seconds")
    try writeOmitted()
    try writeKept()
    try field("key", key)
  }

  private func writeReplaced() throws {
    try field(
      "replaces",
      "texts, numbers, UUIDs, URLs and data of \(plan.objectCount.counted("object"))",
      style: .deleted)
    try field("", "preserved values of deleted objects, names of contexts", style: .deleted)
    try field("", "the store's identifier, so tokens of the store do not work", style: .deleted)
    if !plan.applicationKeys.isEmpty {
      try field(
        "",
        (operation.replacesNames ? "keys and values" : "values") + " of the app's metadata: "
          + plan.applicationKeys.joined(separator: ", "), style: .deleted)
    }
    if operation.replacesAuthors {
      try field("", "authors, bundles and processes", style: .deleted)
    }
    if operation.replacesNames {
      try field(
        "", "names of entities, attributes, relationships, tables, columns, indexes",
        style: .deleted)
    }
  }

  private func writeOmitted() throws {
    try field("leaves out", "external data, free pages, SQLite's statistics")
    if !plan.omittedSettings.isEmpty {
      try field("", "settings of the file: " + plan.omittedSettings.joined(separator: ", "))
    }
    if plan.omitsModel {
      try field("", "the model, which cannot be read or does not fit the tables")
    } else if operation.replacesNames, plan.hasModel {
      try field("", "of the model: expressions, fetch indexes, rules of validation, user info")
    }
    if !plan.omittedObjects.isEmpty {
      try field(
        "",
        "triggers, views, search indexes, indexes with expressions or conditions: "
          + plan.omittedObjects.joined(separator: ", "))
    }
    if !plan.emptiedTables.isEmpty {
      try field(
        "empties", "tables that are not understood: " + plan.emptiedTables.joined(separator: ", "))
    }
    if !plan.emptiedColumns.isEmpty {
      try field(
        plan.emptiedTables.isEmpty ? "empties" : "",
        "columns that are not understood: " + plan.emptiedColumns.joined(separator: ", "))
    }
  }

  private func writeKept() throws {
    try field(
      "keeps",
      operation.replacesNames
        ? "tables, the model, keys, relationships"
        : "tables, the model with all its names (--names replaces them), keys, relationships",
      style: .inserted)
    try field(
      "",
      "\(plan.transactionCount.counted("transaction")) with their numbers, "
        + plan.changeCount.counted("change")
        + (operation.replacesNames
          ? " and which attributes they set" : " with names of attributes"),
      style: .inserted)
    try field(
      "", "booleans, nulls, lengths, punctuation, and which values are equal", style: .inserted)
    if !operation.replacesAuthors, !plan.authors.isEmpty {
      let more = plan.authors.count < ScrubPlan.maxAuthors ? "" : ", …"
      try field(
        "",
        "authors, bundles and processes (--authors replaces them): "
          + plan.authors.joined(separator: ", ") + more, style: .inserted)
    }
    if !plan.keptColumns.isEmpty {
      try field(
        "", "\(keptColumns): " + plan.keptColumns.joined(separator: ", "), style: .inserted)
    }
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
