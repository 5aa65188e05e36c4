import HistoryCoding
import StoreEditing
import StoreFormat
import Terminal

/// What compacting a store has given back, or would: one value for text and JSON.
struct CompactReport {
  let path: String
  let isFull: Bool
  let before: StoreSpace
  /// What has become of it; nil where nothing was to be changed.
  let result: CompactionResult?
  /// Why it would be refused.
  let refusal: StoreWriteError?

  /// What compacting would do.
  init(plannedFor snapshot: StoreSnapshot, isFull: Bool) throws {
    path = snapshot.location.path
    self.isFull = isFull
    before = try snapshot.space()
    result = nil
    let tables = isFull ? try snapshot.tablesThatRebuildingRenumbers() : []
    refusal =
      if !tables.isEmpty {
        .renumbersRows(path: path, tables: tables)
      } else if !isFull, before.autoVacuum == .none, before.freePageCount > 0 {
        .notIncremental(path: path)
      } else {
        nil
      }
  }

  /// What compacting has done.
  init(_ result: CompactionResult, path: String, isFull: Bool) {
    self.path = path
    self.isFull = isFull
    before = result.before
    self.result = result
    refusal = nil
  }

  /// Writes it.
  func write(_ session: Session, _ writer: OutputWriter) throws {
    if session.options.json {
      try writer.writeLine(json)
    } else if !session.options.quiet {
      try writer.writeLine(TerminalText.terminal.escaped(text))
    }
    if let refusal { session.diagnostics.report(Failure(refusal)) }
  }

  /// How many bytes the store has fewer.
  private var givenBack: Int64 { result.map { before.byteCount - $0.after.byteCount } ?? 0 }

  private var text: String {
    guard let result else {
      let free = ByteCount(before.freeByteCount)
      return before.freePageCount == 0
        ? "\(path): no free pages in \(ByteCount(before.byteCount))"
        : "\(path): \(free) of \(ByteCount(before.byteCount)) can be freed"
    }
    let left = ByteCount(result.after.byteCount)
    guard givenBack > 0 else { return "\(path): nothing to free; all of \(left) is in use" }
    let later =
      result.fileByteCountAfter > result.after.byteCount
      ? "; the file gets shorter when the others who have it open let it" : ""
    return "\(path): freed \(ByteCount(givenBack)); file is now \(left)\(later)"
  }

  private var json: JSONValue {
    var members = JSONMembers.start("compact")
    members += [
      ("path", .string(path)), ("full", .boolean(isFull)),
      ("dryRun", .boolean(result == nil)), ("storeBytesBefore", .integer(before.byteCount)),
      ("freeBytesBefore", .integer(before.freeByteCount)),
    ]
    if let result {
      members += [
        ("storeBytes", .integer(result.after.byteCount)),
        ("freeBytes", .integer(result.after.freeByteCount)),
        ("fileBytesBefore", .integer(result.fileByteCountBefore)),
        ("fileBytes", .integer(result.fileByteCountAfter)),
        ("finished", .boolean(result.obstacle == nil)),
      ]
    }
    return .object(JSONObject(members))
  }
}
