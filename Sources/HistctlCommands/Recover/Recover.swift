import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl recover`: shows the last known values of deleted objects, and brings them back in a copy.
struct Recover: SourceReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Show the last known values of deleted objects, or bring them back in a copy.",
    discussion: """
      Values come from the write-ahead log, recorded values, an archive and the tombstones of deletions. \
      Each is shown with its source; what no source has is not known. --sql writes the rows as SQL \
      statements. -o writes a copy of the store in which the objects are back with their \
      relationships, as one more transaction by the author histctl. The store itself is never changed.

      Examples:
        histctl recover default.store Trip/p9
        histctl recover default.store --transaction 12 --json
        histctl recover default.store Trip/p9 --sql
        histctl recover default.store --transaction 12 -o recovered.store
      """)

  @OptionGroup var store: StoreOptions

  @Argument(value: .object, help: "The deleted objects, such as Trip/p12 or 'Trip[name=Rome]'.")
  var objects: [String] = []

  @Option(value: .token, help: "Recover what this transaction deleted.")
  var transaction: String?

  @Flag(help: "Write SQL statements that insert the rows into a copy of the store.")
  var sql = false

  @Option(
    name: .output, value: .init("copy", .file()),
    help: "Write a copy of the store to this file, in which the objects are back.")
  var copy: String?

  @Flag(help: "Replace an existing store.")
  var overwrite = false

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup var guards: DamageGuardOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if objects.isEmpty == (transaction == nil) {
      throw ValidationError(
        objects.isEmpty
          ? "name deleted objects, or the transaction that deleted them with --transaction; "
            + "histctl log STORE --kind delete --changes lists both"
          : "give either objects or --transaction")
    }
    if sql, copy != nil || output.json {
      throw ValidationError("--sql cannot be combined with --json or --output")
    }
    if overwrite, copy == nil { throw ValidationError("--overwrite needs --output") }
    if let copy { try CopyOptions.check(copy) }
  }

  var outlivesReader: Bool { copy != nil }

  func run(_ session: Session) throws {
    try session.readHistory(store, archive, usesPager: copy == nil && !sql) {
      reading, resolver in
      let timeline = reading.timeline
      guard let snapshot = timeline.snapshot else {
        throw Failure(
          .archive, "\(timeline.path) is not a store, and objects are recovered for a store",
          hint: "give the store, and the archive with --archive")
      }
      if copy != nil {
        try EvidentDamage.check(snapshot, ignoredGuards: guards.ignoredGuards, readsPages: true)
      }
      var query = HistoryQuery()
      try values.apply(to: &query, reading)
      let reader = try LostObjectReader(
        timeline, snapshot, schema: reading.schema(), values: query)
      let report = RecoverReport(reading: reading)
      var collection = RecoverOperation.Collection()
      if copy != nil {
        try read(reader, resolver, session) { try collection.add($0) }
        try write(collection, snapshot, query.recordedValues, report)
      } else if sql {
        let statements = try RecoverSQL(writer: reading.writer, snapshot: snapshot)
        try statements.begin()
        try read(reader, resolver, session) { try statements.write($0) }
        try statements.finish()
      } else {
        try read(reader, resolver, session) { try report.write($0) }
      }
    }
  }

  /// Reads the objects, each once.
  private func read(
    _ reader: LostObjectReader, _ resolver: TokenResolver, _ session: Session,
    _ body: (LostObject) throws -> Void
  ) throws {
    for text in objects {
      let object = try ObjectArgument.object(text, resolver, session, preferring: .gone)
      guard let lost = try reader.object(object) else {
        throw Failure(
          .presentObject, "\(object) is in the store; there is nothing to recover",
          hint: "histctl blame shows its values, with --at those of an earlier time")
      }
      try body(lost)
    }
    guard let transaction else { return }
    let number = try resolver.transactionNumber(transaction)
    var isAny = false
    try reader.objects(deletedIn: number) {
      isAny = true
      try body($0)
    }
    if !isAny {
      throw Failure(
        .nothingDeleted, "transaction \(number) deleted no object",
        hint: "list the transactions that did with: histctl log STORE --kind delete")
    }
  }

  private func write(
    _ collection: RecoverOperation.Collection, _ snapshot: StoreSnapshot,
    _ recorded: RecordedValues?, _ report: RecoverReport
  ) throws {
    guard let copy else { return }
    let session = report.reading.session
    var operation = RecoverOperation(copy: copy, now: session.now)
    operation.overwrites = overwrite
    operation.busyTimeout = store.busyTimeout
    let plan = try operation.plan(collection, in: snapshot)
    guard !plan.objects.isEmpty else {
      let first = plan.losses.first { $0.property == nil }
      throw Failure(
        .nothingRecovered,
        "no object can be brought back"
          + (first.map { ": \($0.object): \($0.reason)" } ?? ""),
        hint: "leave out --output to see the values that are known")
    }
    let result = try session.copying { progress in
      try operation.write(plan, snapshot, values: recorded, progress: progress)
    }
    if output.json { for object in collection.objects { try report.write(object) } }
    try report.write(plan, result, copy: copy)
    session.warn(ofIncorrectIndexesOf: result.reindexedTables, copy: copy, areRebuilt: true)
    if plan.omittedCount > 0 { session.end(with: .partlyDone) }
  }
}

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
