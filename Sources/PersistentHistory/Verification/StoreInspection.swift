import StoreFormat

/// Looks at the parts of a store, one after the other; what cannot be read of one is a finding and
/// keeps no other from being looked at.
struct StoreInspection {
  let snapshot: StoreSnapshot
  var findings: FindingLog<StoreFindingKind>
  var facts: StoreFacts

  // MARK: - The file and what it says of itself

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
        findings.add(.missingIdentifier, at: .table("Z_METADATA"), "it holds another text")
      }
    } else {
      findings.add(.missingIdentifier, at: .table("Z_METADATA"), "it holds none")
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
        findings.add(.modelMismatch, at: .entity(entry.name), "the model cache does not have it")
      }
      let names = Set(listed.map(\.name))
      for name in model.entities.keys.sorted() where !names.contains(name) {
        findings.add(.modelMismatch, at: .entity(name), "the list of entities does not have it")
      }
    }
    for entry in snapshot.entities.modelEntries
    where snapshot.entities.name(of: entry.number) == nil {
      findings.add(.modelMismatch, at: .entity(entry.name), "it is listed under two numbers")
    }
  }

  private mutating func inspectSchema() throws {
    if try !snapshot.historyTables().indexesChangesByTransaction {
      findings.add(.missingIndex, at: .table("ACHANGE"), "no index begins with ZTRANSACTIONID")
    }
    for name in try snapshot.triggersOfHistory() {
      findings.add(.addedTrigger, at: .store, "the trigger is named \(name)")
    }
  }

  // MARK: - Rows

  mutating func inspectRows(_ progress: (Int64) -> Void) throws {
    try inspect(.table("ATRANSACTIONSTRING")) { try $0.inspectTexts() }
    var isInOrder = true
    try inspect(.table("ATRANSACTION")) { inspection in
      var transactions = TransactionInspection(
        findings: inspection.findings, facts: inspection.facts)
      defer {
        (inspection.findings, inspection.facts) = (transactions.findings, transactions.facts)
      }
      try transactions.run(inspection.snapshot)
      isInOrder = transactions.isInOrder
    }
    guard isInOrder else { return }
    try inspect(.table("ACHANGE")) { inspection in
      let changes = try ChangeInspection(
        inspection.snapshot, findings: inspection.findings, facts: inspection.facts)
      defer { (inspection.findings, inspection.facts) = (changes.findings, changes.facts) }
      try changes.run(progress)
    }
  }

  /// Looks at one table; what SQLite cannot read of it is a finding.
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
          "row \(texts.number) stands behind row \(last)")
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

  // MARK: - Who reads the history

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
        // A file that was named may be that of several stores.
        case .foreign where bookmarkPath != nil: continue
        case .foreign, .ahead, .expired, .diverged:
          inspection.findings.add(
            .unusableBookmark, at: .bookmark(bookmark.name), "it is \(token.state.name)")
        }
        inspection.facts.bookmarkCount += 1
      }
    }
  }
}

extension FindingLog<StoreFindingKind> {
  /// Adds what is wrong with a log.
  mutating func add(_ condition: LogCondition) {
    switch condition {
    case .empty, .whole, .changing: break
    case .unusable(let reason): add(.unusableLog, at: .log(frame: nil), reason)
    case .broken(let frame, let count, _):
      add(
        .damagedLog, at: .log(frame: frame),
        "its checksum is wrong, and the saves up to frame \(frame + count - 1) are lost with it")
    case .unfinished(let frame):
      add(
        .unfinishedLog, at: .log(frame: frame), "its checksum is wrong, and no save ends behind it")
    }
  }

  mutating func addTornCounter(of entity: String, issued: Int64, present: Int64) {
    add(
      .tornCounter, at: .entity(entity),
      "the highest number given out is \(issued), and \(present) is in use")
  }
}
