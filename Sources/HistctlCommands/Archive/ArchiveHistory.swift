import ArgumentParser
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl archive`: seals the beginning of a history.
struct ArchiveHistory: SourceReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Seal history in an archive that any program can read.",
    discussion: """
      Writes transactions that are not sealed yet as JSON lines into compressed segments, reads them \
      back, compares them with the store, and enters them into a catalog in which each line has the \
      digest of the one before. The newest transaction is left for the next run, unless --before \
      says otherwise. The store is not changed; prune --archive seals and then deletes. An archive \
      can hold many stores.

      Examples:
        histctl archive default.store history-archive
        histctl archive default.store history-archive --before 30d
        histctl archive default.store history-archive --dry-run
        zstdcat history-archive/*/*.jsonl.zst | jq .author
      """)

  @OptionGroup var store: StoreOptions

  @Argument(value: .folder, help: "The folder of the archive, which is made if it is missing.")
  var archive: String

  @Option(value: .token, help: "Seal only what was saved before this token.")
  var before: String?

  @OptionGroup(title: "The archive") var sealing: SealingOptions

  @OptionGroup var values: ValuesOptions

  @OptionGroup var guards: DamageGuardOptions

  @Flag(name: [.customShort("n"), .long], help: "Show what would be sealed, and seal nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try NewPlace.folder.check(archive, of: "<dir>") }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    let cut: SealingOperation.Selection = { snapshot in
      try before.map {
        try TokenResolver(snapshot: snapshot, bookmarkPath: store.bookmarkFile, now: session.now)
          .cut(before: $0)
      }
    }
    var request = sealing.request(
      archive, ignoredGuards: guards.ignoredGuards, now: session.now)
    request.omitsValues = values.omitsValues
    request.valuesPath = values.valuesFile
    try session.write(usesPager: false) { _ in
      let report = ArchiveReport(session: session, path: store.store)
      try session.observing { observer in
        let operation = SealingOperation(store.context(store.store, session, observer), request)
        let file = try operation.open()
        // Check first, so that a wrong path or token creates no folder.
        let plan = try operation.plan(file, before: cut)
        if dryRun {
          try report.write(plan)
        } else {
          try report.write(
            values.explaining { try operation.seal(plan, of: file) }, saysNothingNew: true)
        }
        noteBeginning(of: plan, session)
      }
    }
  }
}

extension ArchiveHistory {
  /// Notes that history is missing before everything that is ever sealed.
  private func noteBeginning(of plan: SealingPlan, _ session: Session) {
    guard let missing = plan.missingBeginning, plan.first != nil || missing.oldest == nil else {
      return
    }
    guard output.json else {
      return session.diagnostics.notice(
        missing.oldest.map { session.text(ofBeginning: plan.first, at: $0) }
          ?? "the history is empty: its transactions were deleted, and their changes are unknown")
    }
    session.diagnostics.record(missing)
  }
}

/// Writes the segments that were or would be sealed: a line and the head of the chain, or a JSON line.
struct ArchiveReport: FieldPage {
  let session: Session
  let path: String

  func write(_ plan: SealingPlan) throws {
    if isJSON { try writer.writeLine(json(plan)) } else { try line(text(plan)) }
  }

  /// - Parameter saysNothingNew: Whether to write a line on a terminal if nothing was sealed.
  func write(_ sealed: SealedSegments, saysNothingNew: Bool) throws {
    if isJSON { return try writer.writeLine(json(sealed)) }
    guard !session.options.quiet else { return }
    guard !sealed.segments.isEmpty || saysNothingNew && session.environment.isOutputTerminal else {
      return
    }
    try line(text(sealed))
    try writer.writeLine("head \(sealed.head)")
  }

  private func text(_ plan: SealingPlan) -> String {
    guard let first = plan.first, let last = plan.last else {
      return "\(path): nothing to seal" + (plan.sealed.map(Self.everything) ?? "")
    }
    return "\(path): would seal " + plan.transactionCount.counted("transaction")
      + ", \(first.number.text(to: last.number))" + (plan.leavesGap ? ", after a gap" : "")
  }

  private func text(_ sealed: SealedSegments) -> String {
    guard let first = sealed.segments.first?.entry.first,
      let last = sealed.segments.last?.entry.last
    else { return "\(path): nothing to seal" + (sealed.last.map(Self.everything) ?? "") }
    return "\(path): sealed " + sealed.transactionCount.counted("transaction")
      + ", \(first.text(to: last)), in "
      + sealed.segments.count.counted("segment") + ", \(ByteCount(sealed.byteCount))"
  }

  private static func everything(_ position: TransactionPosition) -> String {
    ": everything up to transaction \(position.number) is sealed"
  }

  private func json(_ plan: SealingPlan) -> JSONValue {
    .record(
      "archivePlan",
      [
        "path": path, "store": plan.store, "archive": plan.archivePath, "newArchive": plan.isNew,
        "transactions": plan.transactionCount, "first": plan.first?.number,
        "last": plan.last?.number, "sealed": plan.sealed?.number,
        "leavesGap": plan.leavesGap ? true : nil,
      ])
  }

  private func json(_ sealed: SealedSegments) -> JSONValue {
    .record(
      "archive",
      [
        "path": path, "store": sealed.store, "archive": sealed.archivePath,
        "transactions": sealed.transactionCount, "changes": sealed.changeCount,
        "bytes": sealed.byteCount, "textBytes": sealed.textByteCount,
        "sealed": sealed.last?.number, "segments": sealed.segments.map(json),
        "head": sealed.head.description,
      ])
  }

  private func json(_ segment: SealedSegments.Segment) -> JSONValue {
    let manifest = segment.manifest
    return .object(of: [
      "first": segment.entry.first, "last": segment.entry.last,
      "transactions": manifest.transactionCount, "changes": manifest.changeCount,
      "bytes": manifest.byteCount, "textBytes": manifest.textByteCount,
      "sha256": manifest.digest.description, "adopted": segment.isAdopted ? true : nil,
    ])
  }
}
