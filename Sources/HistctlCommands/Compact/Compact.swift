import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// `histctl compact`: returns free pages of a store to the file system.
struct Compact: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Return free pages of a store to the file system.",
    discussion: """
      Deleting history does not make a file smaller; compacting does. It frees a few pages at a time, \
      beside a running app, in a store that allows it, as the stores of Apple's frameworks do. \
      --full rebuilds the store instead: no other program may have it open, and it temporarily needs \
      twice the store's size. It is refused if it would renumber the rows of a table.

      Examples:
        histctl compact default.store --dry-run
        histctl compact default.store
        histctl compact default.store --full --json
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Rebuild the whole store; no other program may have it open.")
  var full = false

  @Flag(
    name: [.customShort("n"), .long], help: "Show how much can be freed, and change nothing.")
  var dryRun = false

  @OptionGroup var keeping: ValueKeepingOptions

  @OptionGroup var guards: DamageGuardOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    func compaction(_ observer: @escaping OperationObserver) -> Compaction {
      var compaction = Compaction(
        store.context(store.store, session, observer), isFull: full,
        ignoredGuards: guards.ignoredGuards)
      compaction.keepsLogValues = !keeping.omitsValues
      return compaction
    }
    guard !dryRun else {
      return try session.read(store, usesPager: false) { snapshot, _ in
        let plan = try compaction { _ in }.plan(snapshot)
        try CompactReport(
          session: session, path: store.store, isFull: full, before: plan.space, result: nil
        ).write()
        if let refusal = plan.refusal {
          session.diagnostics.report(Failure(refusal))
          session.end(with: .refused)
        }
      }
    }
    try session.write(usesPager: false) { _ in
      let result = try session.observing { try compaction($0).run() }
      try CompactReport(
        session: session, path: store.store, isFull: full, before: result.before, result: result
      ).write()
      if let obstacle = result.obstacle {
        throw CompactionInterrupted(path: store.store, obstacle: obstacle)
      }
    }
  }
}

/// The space that compacting a store has freed, or would free.
private struct CompactReport: FieldPage {
  let session: Session
  let path: String
  let isFull: Bool
  let before: StoreSpace
  /// What was done; `nil` for a plan.
  let result: CompactionResult?

  func write() throws { try write(json, orLine: text) }

  private var text: String {
    guard let result else {
      return before.freePageCount == 0
        ? "\(path): no free pages in \(ByteCount(before.byteCount))"
        : "\(path): \(ByteCount(before.freeByteCount)) of \(ByteCount(before.byteCount)) can be freed"
    }
    let left = ByteCount(result.after.byteCount)
    let freed = before.byteCount - result.after.byteCount
    guard freed > 0 else { return "\(path): nothing to free; all of \(left) is in use" }
    let later =
      result.fileByteCountAfter > result.after.byteCount
      ? "; the file shrinks once other processes close it" : ""
    return "\(path): freed \(ByteCount(freed)); file is now \(left)\(later)"
  }

  private var json: JSONValue {
    .record(
      "compact",
      [
        "path": path, "full": isFull, "dryRun": result == nil,
        "storeBytesBefore": before.byteCount, "freeBytesBefore": before.freeByteCount,
        "storeBytes": result?.after.byteCount, "freeBytes": result?.after.freeByteCount,
        "fileBytesBefore": result?.fileByteCountBefore, "fileBytes": result?.fileByteCountAfter,
        "finished": result.map { $0.obstacle == nil },
      ])
  }
}
