import HistoryCoding
import PersistentHistory
import Terminal

/// Writes the number of changed objects of each entity, with bars.
struct NetChangeStat {
  let session: Session
  let writer: OutputWriter
  /// The path of the store, if there are several.
  let path: String?

  /// Writes the entities with the most objects first.
  func write(_ summary: NetChangeSummary) throws {
    let entries = summary.entries.sorted {
      ($1.counts.total, Self.label($0)) < ($0.counts.total, Self.label($1))
    }
    guard !session.options.json else {
      for entry in entries { try writer.writeLine(json(entry)) }
      return
    }
    let bars = Bars(environment: session.environment, palette: session.palette)
    for line in bars.lines(entries.map(row)) { try writer.writeLine(line) }
  }

  private static func label(_ entry: NetChangeSummary.Entry) -> String {
    entry.entity?.label ?? "(others)"
  }

  private static let signs: [(sign: String, kind: NetChangeKind, style: Style)] = [
    ("+", .insert, .inserted), ("~", .update, .updated), ("-", .delete, .deleted),
    ("±", .replace, .warning),
  ]

  private func row(_ entry: NetChangeSummary.Entry) -> Bars.Row {
    let present = Self.signs.filter { entry.counts.count($0.kind) > 0 }
    return Bars.Row(
      label: Self.label(entry),
      parts: present.map { (Double(entry.counts.count($0.kind)), $0.style) },
      text: present.map { "\($0.sign)\(entry.counts.count($0.kind).grouped)" }
        .joined(separator: " "))
  }

  private func json(_ entry: NetChangeSummary.Entry) -> JSONValue {
    let name = entry.entity?.name
    return .record(
      "netCount",
      [
        "path": path, "entity": name, "entityRaw": name == nil ? entry.entity?.number : nil,
        "inserts": entry.counts.inserts, "updates": entry.counts.updates,
        "deletes": entry.counts.deletes, "replaces": entry.counts.replaces,
      ])
  }
}
