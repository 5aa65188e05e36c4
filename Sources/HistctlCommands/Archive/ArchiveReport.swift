import HistoryArchive
import HistoryCoding
import StoreFormat
import Terminal

/// Tells what was sealed, or would be: a line and the head of the chain, or a JSON line.
struct ArchiveReport {
  let session: Session
  let writer: OutputWriter
  let path: String

  /// What would be sealed.
  func write(_ plan: SealingPlan) throws {
    guard !session.options.json else { return try writer.writeLine(json(plan)) }
    try writer.writeLine(TerminalText.terminal.escaped(text(plan)))
  }

  /// What was sealed.
  ///
  /// - Parameter saysNothingNew: Whether a person at a terminal is told that nothing was.
  func write(_ sealed: SealedSegments, saysNothingNew: Bool) throws {
    if session.options.json { return try writer.writeLine(json(sealed)) }
    guard !session.options.quiet else { return }
    guard !sealed.segments.isEmpty || saysNothingNew && session.environment.isOutputTerminal else {
      return
    }
    try writer.writeLine(TerminalText.terminal.escaped(text(sealed)))
    try writer.writeLine("head \(sealed.head)")
  }

  // MARK: - For people

  private func text(_ plan: SealingPlan) -> String {
    guard let first = plan.first, let last = plan.last else {
      return "\(path): nothing to seal" + (plan.sealed.map(Self.everything) ?? "")
    }
    let gap = plan.leavesGap ? ", behind a gap" : ""
    return "\(path): would seal " + plan.transactionCount.counted("transaction")
      + ", \(Self.range(first.number, last.number))\(gap)"
  }

  private func text(_ sealed: SealedSegments) -> String {
    guard let first = sealed.segments.first?.entry.first,
      let last = sealed.segments.last?.entry.last
    else { return "\(path): nothing to seal" + (sealed.last.map(Self.everything) ?? "") }
    return "\(path): sealed " + sealed.transactionCount.counted("transaction")
      + ", \(Self.range(first, last)), in "
      + sealed.segments.count.counted("segment") + ", \(ByteCount(sealed.byteCount))"
  }

  private static func everything(_ position: TransactionPosition) -> String {
    ": everything up to transaction \(position.number) is sealed"
  }

  private static func range(_ first: Int64, _ last: Int64) -> String {
    first == last ? "\(first)" : "\(first) to \(last)"
  }

  // MARK: - For programs

  private func json(_ plan: SealingPlan) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("schema", .integer(1)), ("type", .string("archivePlan")), ("path", .string(path)),
      ("store", .string(plan.store)), ("archive", .string(plan.archivePath)),
      ("newArchive", .boolean(plan.isNew)), ("transactions", .integer(plan.transactionCount)),
    ]
    if let first = plan.first { members.append(("first", .integer(first.number))) }
    if let last = plan.last { members.append(("last", .integer(last.number))) }
    if let sealed = plan.sealed { members.append(("sealed", .integer(sealed.number))) }
    if plan.leavesGap { members.append(("leavesGap", .boolean(true))) }
    return .object(JSONObject(members))
  }

  private func json(_ sealed: SealedSegments) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("schema", .integer(1)), ("type", .string("archive")), ("path", .string(path)),
      ("store", .string(sealed.store)), ("archive", .string(sealed.archivePath)),
      ("transactions", .integer(sealed.transactionCount)),
      ("changes", .integer(sealed.changeCount)), ("bytes", .integer(sealed.byteCount)),
      ("textBytes", .integer(sealed.textByteCount)),
    ]
    if let last = sealed.last { members.append(("sealed", .integer(last.number))) }
    members.append(("segments", .array(sealed.segments.map { .object($0.json) })))
    members.append(("head", .string(sealed.head.description)))
    return .object(JSONObject(members))
  }
}

extension SealedSegments.Segment {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "first": .integer(entry.first), "last": .integer(entry.last),
      "transactions": .integer(manifest.transactionCount),
      "changes": .integer(manifest.changeCount), "bytes": .integer(manifest.byteCount),
      "textBytes": .integer(manifest.textByteCount), "sha256": .string("\(manifest.digest)"),
    ]
    if isAdopted { object["adopted"] = .boolean(true) }
    return object
  }
}
