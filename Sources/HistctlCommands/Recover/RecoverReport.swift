import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// The report of ``Recover``.
struct RecoverReport: FieldPage {
  /// The maximum number of objects of a relationship that are listed for people.
  private static let maxListed = 20

  let reading: HistoryReading

  var session: Session { reading.session }
  private var timeline: HistoryTimeline { reading.timeline }

  /// Writes what is known of an object.
  func write(_ lost: LostObject) throws {
    if isJSON {
      return try reading.writeObjectLines {
        $0.encode(lost, store: timeline.storeIdentifier)
      }
    }
    try reading.writeHeading(
      lost.object,
      deleted: lost.deletion.map { "deleted " + reading.text(of: $0) }
        ?? "not in the store; no deletion is recorded")
    let table = streamedTable(
      [
        TableColumn("PROPERTY", priority: 3, minimumWidth: 12, canShrink: true),
        TableColumn("FROM", priority: 2),
        TableColumn("VALUE", priority: 4, minimumWidth: 12, canShrink: true),
      ], wrapsLastColumn: true)
    for property in lost.properties {
      switch property.knowledge {
      case .known(let value, let source):
        try table.write([
          TableCell(property.name), TableCell(source.rawValue, style: .secondary), cell(value),
        ])
      case .unknown(let reason):
        try table.write([
          TableCell(property.name), TableCell("-"),
          TableCell("not known: \(reason)", style: .warning),
        ])
      }
    }
    try table.finish()
    try writer.writeLine("")
  }

  private func cell(_ value: LostObject.Value) -> TableCell {
    switch value {
    case .stored(let value, let kind):
      TableCell(ValueChangeText.content(.value(value), kind, longest: ChangeText.longText))
    case .digest(let bytes, let count):
      TableCell(ValueChangeText.content(.digest(bytes, byteCount: count), .other))
    case .file(let name): TableCell("in the file \(name.text)", style: .secondary)
    case .object(nil): TableCell("nil", style: .secondary)
    case .object(let object?): TableCell(text(object), style: .token)
    case .objects(let objects) where objects.isEmpty: TableCell("none", style: .secondary)
    case .objects(let objects):
      TableCell(objects.map(text).listed(Self.maxListed), style: .token)
    }
  }

  private func text(_ object: StoreObject) -> String {
    "\(object.entityName)/p\(object.primaryKey ?? 0)"
  }

  // MARK: - The copy

  /// Writes what was brought back in a copy, and what was not.
  func write(
    _ plan: RecoveryPlan, _ result: RecoverOperation.Result, copy: String
  ) throws {
    if isJSON { return try writer.writeLine(json(plan, result, copy)) }
    guard !session.options.quiet else { return }
    try field("copy", copy, style: .heading)
    try field("transaction", reading.tokens.text(result.position.number), style: .token)
    try field("restored", Int64(plan.objects.count).counted("object"))
    for (entry, object) in zip(plan.objects, result.objects) where entry.object != object {
      try field("", "\(entry.object) as \(object): another row has its key")
    }
    try field(largeData: result.externalFileCount)
    guard !plan.losses.isEmpty else { return }
    try writer.writeLine("")
    try line("Not restored, or not as before:", .warning)
    for loss in plan.losses {
      let name = loss.object.description + (loss.property.map { " " + $0 } ?? "")
      try line("\(name): \(loss.reason)", indentation: 2)
    }
  }

  private func json(
    _ plan: RecoveryPlan, _ result: RecoverOperation.Result, _ copy: String
  ) -> JSONValue {
    .record(
      "recovery",
      [
        "path": timeline.path, "copy": copy, "store": timeline.storeIdentifier,
        "transaction": result.position.number, "timestamp": result.position.timestamp?.iso8601(),
        "changes": result.changeCount, "externalFiles": result.externalFileCount,
        "objects": zip(plan.objects, result.objects).map { entry, object in
          JSONValue.object(
            of: ["object": entry.object.description, "restored": object.description])
        },
        "losses": plan.losses.map { loss in
          JSONValue.object(of: [
            "object": loss.object.description, "property": loss.property, "reason": loss.reason,
          ])
        },
      ])
  }
}
