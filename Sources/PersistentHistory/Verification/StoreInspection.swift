import StoreFormat

/// Inspects the parts of a store one after the other. A part that cannot be read is a finding, and the
/// others are still inspected.
struct StoreInspection {
  let snapshot: StoreSnapshot
  var findings: FindingLog<StoreFindingKind>
  var facts: StoreFacts
  /// The number of the last transaction that was inspected, and the last time of one.
  var last: (number: Int64?, time: StoreTimestamp?) = (nil, nil)

  // MARK: - The file, its metadata and its model

  mutating func inspectFile() throws {
    try inspectLog()
    try inspect(.table("Z_METADATA")) { try $0.inspectMetadata() }
    try inspectModel()
    try inspect(.table("ACHANGE")) { try $0.inspectSchema() }
  }

  private mutating func inspectLog() throws {
    let condition = try snapshot.logCondition()
    facts.log = condition
    findings.add(condition)
  }

  private mutating func inspectMetadata() throws {
    if let identifier = snapshot.metadata.storeIdentifier {
      if !HistoryToken.isIdentifier(identifier) {
        findings.add(.missingIdentifier, at: .table("Z_METADATA"), "it is not a UUID")
      }
    } else {
      findings.add(.missingIdentifier, at: .table("Z_METADATA"), "there is none")
    }
    if try snapshot.hasUnreadableMetadata() {
      findings.add(.damagedMetadata, at: .table("Z_METADATA"), "it is not a binary property list")
    }
  }

  private mutating func inspectModel() throws {
    let table = FindingPlace.table("Z_MODELCACHE")
    var cache = ModelCache.missing
    if let damage = try snapshot.damage(in: { cache = try snapshot.modelCache() }) {
      cache = .unreadable(reason: damage.detail)
    }
    facts.model = cache.condition
    switch cache {
    case .missing: return
    case .unreadable(let reason): findings.add(.damagedModel, at: table, reason)
    case .model(let model):
      let listed = snapshot.entities.modelEntries
      for entry in listed where model.entities[entry.name] == nil {
        findings.add(.modelMismatch, at: .entity(entry.name), "it is not in the model cache")
      }
      let names = Set(listed.map(\.name))
      for name in model.entities.keys.sorted() where !names.contains(name) {
        findings.add(.modelMismatch, at: .entity(name), "it is not in the list of entities")
      }
      inspectTables(listed.filter { model.entities[$0.name] != nil && $0.superNumber == 0 })
    }
    for entry in snapshot.entities.modelEntries
    where snapshot.entities.name(of: entry.number) == nil {
      findings.add(.modelMismatch, at: .entity(entry.name), "it has two numbers")
    }
  }

  /// Reports the missing tables of entities without a superentity; a store of a history alone has none.
  private mutating func inspectTables(_ entities: [EntityNumbering.Entry]) {
    let present = snapshot.layout.tableNames
    let tables = entities.map { (entity: $0.name, name: "Z" + $0.name.uppercased()) }
    guard tables.contains(where: { present.contains($0.name) }) else { return }
    for table in tables where !present.contains(table.name) {
      findings.add(.missingTable, at: .entity(table.entity), "there is no table \(table.name)")
    }
  }

  private mutating func inspectSchema() throws {
    if try !snapshot.historyTables().indexesChangesByTransaction {
      findings.add(.missingIndex, at: .table("ACHANGE"), "no index begins with ZTRANSACTIONID")
    }
    for name in try snapshot.triggersOfHistory() {
      findings.add(.addedTrigger, at: .store, "it has the trigger \(name)")
    }
    let tables = facts.checkedTables.map { $0.map(Optional.some) } ?? [nil]
    for part in try tables.flatMap({ try snapshot.calculatedParts(ofTable: $0) }) {
      findings.add(.calculatedTable, at: .table(part.table), "\(part.description) is calculated")
    }
  }

  // MARK: - Rows

  mutating func inspectRows(_ progress: (Int64) -> Void) throws {
    try inspect(.table("ATRANSACTIONSTRING")) { try $0.inspectTexts() }
    var isInOrder = true
    try inspect(.table("ATRANSACTION")) { isInOrder = try $0.inspectTransactions() }
    guard isInOrder else { return }
    try inspect(.table("ACHANGE")) { inspection in
      let changes = try ChangeInspection(
        inspection.snapshot, findings: inspection.findings, facts: inspection.facts)
      defer { (inspection.findings, inspection.facts) = (changes.findings, changes.facts) }
      try changes.run(progress)
    }
  }

  /// Inspects one table. Damage that SQLite reports is a finding.
  private mutating func inspect(
    _ place: FindingPlace, _ body: (inout StoreInspection) throws -> Void
  ) throws {
    let damage = try snapshot.damage { try body(&self) }
    if let damage { findings.add(.damagedPages, at: place, damage.detail) }
  }

  private mutating func inspectTexts() throws {
    guard let texts = try snapshot.internedStrings() else { return }
    var last = Int64.min
    while try texts.next() {
      guard facts.textCount == 0 || texts.number > last else {
        findings.add(
          .damagedPages, at: .table("ATRANSACTIONSTRING"),
          "row \(texts.number) follows row \(last)")
        return
      }
      last = texts.number
      facts.textCount += 1
      if !texts.hasText {
        findings.add(.damagedText, at: .text(texts.number), "the column ZNAME holds no text")
      }
    }
    let highest = snapshot.entities.highestNumber(of: .string)
    if facts.textCount > 0, texts.number > highest {
      findings.addTornCounter(of: "TRANSACTIONSTRING", issued: highest, present: texts.number)
    }
  }

  // MARK: - Transactions

  /// Inspects every row of `ATRANSACTION`, and returns whether they are in order. Damaged pages may form a circle.
  private mutating func inspectTransactions() throws -> Bool {
    let rows = try snapshot.transactions(TransactionSelection())
    while try rows.next() {
      facts.transactionCount += 1
      guard inspectNumber(rows.number) else { return false }
      inspectTime(rows)
      for column in rows.extra { inspect(column, of: rows.number) }
    }
    let issued = snapshot.entities.highestNumber(of: .transaction)
    if facts.transactionCount == 0, issued > 0 { facts.emptiedAfter = issued }
    if let last = last.number, last > issued {
      findings.addTornCounter(of: "TRANSACTION", issued: issued, present: last)
    }
    return true
  }

  private mutating func inspectNumber(_ number: Int64) -> Bool {
    if let last = last.number, number <= last {
      findings.add(
        .damagedPages, at: .table("ATRANSACTION"), "row \(number) follows row \(last)")
      return false
    }
    if number < 1 {
      findings.add(.invalidNumber, at: .transaction(number), "the first transaction has number 1")
    }
    // Transactions before the first one have been pruned.
    if let last = last.number, last >= 1, number > last, number - 1 > last {
      findings.add(
        .numberGap, at: .transactions(last + 1...number - 1),
        number - last == 2 ? "it is missing" : "\(number - last - 1) transactions are missing")
    }
    facts.transactions = (facts.transactions?.lowerBound ?? number)...number
    last.number = number
    return true
  }

  private mutating func inspectTime(_ rows: TransactionCursor) {
    if let detail = RowDamage.ofTime(rows.timestamp) {
      findings.add(.missingTime, at: .transaction(rows.number), detail)
    }
    guard let time = rows.timestamp else { return }
    if time.iso8601() == nil {
      findings.add(
        .impossibleTime, at: .transaction(rows.number),
        "\(time.secondsSinceReferenceDate) seconds since 2001")
    }
    if let lastTime = last.time, time < lastTime {
      facts.clockStepCount += 1
      let seconds = lastTime.secondsSinceReferenceDate - time.secondsSinceReferenceDate
      if seconds > facts.largestClockStep?.seconds ?? 0 {
        facts.largestClockStep = StoreFacts.ClockStep(transaction: rows.number, seconds: seconds)
      }
    }
    last.time = time
  }

  /// Inspects a column with a value that no framework writes.
  private mutating func inspect(_ extra: ExtraColumn, of number: Int64) {
    let place = FindingPlace.transaction(number)
    if extra.column == "ZTIMESTAMP" { return }
    for role in StringRole.allCases {
      if extra.column == role.identifierColumn, case .integer(let text) = extra.value {
        return findings.add(.danglingText, at: place, "\(extra.column) is \(text)")
      }
      if extra.column == role.plainColumn, case .text = extra.value {
        return findings.add(.doubleText, at: place, "\(extra.column) has a text")
      }
    }
    findings.add(.unexpectedValue, at: place, "\(extra.column) holds \(extra.value.kindName)")
  }

  // MARK: - Readers of the history

  mutating func inspectReaders(bookmarkPath: String?) throws {
    try inspect(.table("ANSCKMETADATAENTRY")) { inspection in
      if case .unknown(let reason)? = try MirroringState(snapshot: inspection.snapshot)?.need {
        inspection.findings.add(.unreadableMirroring, at: .store, reason)
      }
    }
    let path = bookmarkPath ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath)
    let bookmarks: [Bookmark]
    do {
      bookmarks = try BookmarkFile(path: path).bookmarks
    } catch {
      findings.add(.unreadableBookmarks, at: .file(path), error.message)
      return
    }
    try inspect(.table("ATRANSACTION")) { inspection in
      let resolver = TokenResolver(snapshot: inspection.snapshot)
      for bookmark in bookmarks {
        let token = try resolver.resolve(bookmark)
        switch token.state {
        case .valid, .archived: break
        // A file that the caller named may have bookmarks of several stores.
        case .foreign where bookmarkPath != nil: continue
        case .foreign, .ahead, .expired, .diverged:
          inspection.findings.add(
            .unusableBookmark, at: .bookmark(bookmark.name), "it is \(token.state.name)")
        }
        inspection.facts.bookmarkCount += 1
      }
    }
  }

  // MARK: - Recorded values

  /// Inspects the values that were recorded beside the store, if there are any.
  ///
  /// Values of saves that were never complete and of history that an app deleted are not findings: no
  /// reader sees them, and the next save or prune removes them.
  mutating func inspectValues() throws {
    let path = RecordedValuesFile.path(besideStore: snapshot.location.resolvedPath)
    do {
      guard let values = try RecordedValues(beside: snapshot, readsLog: false)?.file else { return }
      let problems = try values.pageProblems()
      for problem in problems { findings.add(.unusableValues, at: .file(path), problem) }
      if problems.isEmpty { try inspect(values) }
    } catch let error as StoreError {
      switch error {
      case .unusableValues(path, let reason), .unreadable(path, let reason):
        findings.add(.unusableValues, at: .file(path), reason)
      default: throw error
      }
    }
  }

  private mutating func inspect(_ values: RecordedValuesFile) throws {
    var last: Int64?
    while case let positions = try values.positions(after: last, limit: 256),
      let end = positions.last
    {
      for position in positions {
        facts.recordedTransactionCount += 1
        guard let found = try snapshot.timestamp(ofTransaction: position.number) else {
          facts.absentTransactionCount += 1
          continue
        }
        guard found.timestamp == position.timestamp else {
          findings.add(
            .foreignValues, at: .transaction(position.number), "it was saved at another time")
          continue
        }
        try values.forEachRow(of: position) { row in
          guard try !snapshot.hasChange(row) else { return }
          findings.add(
            .misfittingValues, at: .change(row.change, transaction: row.transaction),
            "it is no \(row.source == .log ? "change" : "update") of \(row.entityName)/p\(row.primaryKey)"
          )
        }
      }
      last = end.number
    }
  }
}

extension FindingLog<StoreFindingKind> {
  /// Adds what is wrong with the write-ahead log.
  mutating func add(_ condition: LogCondition) {
    switch condition {
    case .empty, .whole, .changing: break
    case .unusable(let reason): add(.unusableLog, at: .log(frame: nil), reason)
    case .broken(let frame, let count, _):
      add(
        .damagedLog, at: .log(frame: frame),
        "its checksum is wrong, and the saves up to frame \(frame + count - 1) are lost")
    case .unfinished(let frame, let reason):
      add(.unfinishedLog, at: .log(frame: frame), reason.text)
    }
  }

  mutating func addTornCounter(of entity: String, issued: Int64, present: Int64) {
    add(
      .tornCounter, at: .entity(entity),
      "the highest number given out is \(issued), and \(present) is in use")
  }
}

extension UnfinishedLog {
  /// Says of a frame why the save that it belongs to is not whole.
  fileprivate var text: String {
    switch self {
    case .wrongChecksum: "its checksum is wrong, and no save ends after it"
    case .foreignFrame(let count):
      "it does not belong to this -wal, which goes on after it: \(Self.frames(count))"
    case .cutFrame: "the file ends in the middle of it"
    case .uncommitted(let count):
      "a save begins with it and has no end: \(Self.frames(count))"
    }
  }

  private static func frames(_ count: Int) -> String {
    count == 1 ? "1 frame" : "\(count) frames"
  }
}
