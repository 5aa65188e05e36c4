import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the objects that differ in two copies of a store.
struct DifferenceOutput: FieldPage {
  let session: Session
  let form: DiffForm

  /// Writes the differences and returns their number.
  func write(_ differences: ObjectComparison) throws -> Int {
    var summary = NetChangeSummary()
    var unexplainedCount = 0
    func forEach(_ body: (ObjectDifference) throws -> Void) throws {
      while let difference = try differences.next() {
        summary.add(difference.kind, of: difference.entity)
        if !difference.unexplained.isEmpty { unexplainedCount += 1 }
        try body(difference)
      }
    }
    switch form {
    case .objects, .changes:
      if isJSON {
        var encoder = NetChangeLineEncoder()
        try forEach { difference in
          encoder.encode(difference)
          try writer.write(&encoder)
        }
      } else {
        let table = NetChangeText.table(self, minimumWidth: 24)
        try forEach { try table.write(row($0)) }
        try table.finish()
        try writeSummary(summary.total, unexplainedCount)
      }
    case .names:
      try forEach { difference in
        try writer.writeLine(
          TerminalText.terminal.escaped("\(difference.entity.label)/p\(difference.primaryKey)"))
      }
    case .stat:
      try forEach { _ in }
      try writeStat(summary, path: nil)
      if !isJSON { try writeSummary(summary.total, unexplainedCount) }
    }
    return summary.total.total
  }

  private func writeSummary(_ counts: NetChangeSummary.Counts, _ unexplainedCount: Int) throws {
    guard counts.total > 0 else { return try writer.writeLine("no object differs") }
    var spans = NetChangeText.summary(counts)
    if unexplainedCount > 0 {
      spans.append(.init(text: "; of \(unexplainedCount.grouped), ", style: .plain))
      spans.append(.init(text: "the histories do not mention all that differs", style: .warning))
    }
    try writer.writeLine("")
    try line(spans)
  }

  private func row(_ difference: ObjectDifference) -> [TableCell] {
    let sign = ChangeSign(difference.kind)
    let name = "\(sign.text) \(difference.entity.label)/p\(difference.primaryKey)"
    let transactions = difference.transactions.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
    return [
      TableCell(name, style: sign.style), TableCell(transactions ?? "-", style: .token),
      TableCell(spans: details(difference)),
    ]
  }

  /// The values that differ: first those that a transaction explains.
  private func details(_ difference: ObjectDifference) -> [TableCell.Span] {
    var texts: [(name: String, text: String)] = []
    let kind: ChangeKind =
      switch difference.kind {
      case .insert: .insert
      case .delete: .delete
      case .update, .replace: .update
      }
    for value in difference.values {
      // If only one copy has the object, its null values are no difference.
      if kind != .update, (value.old ?? value.new) == .value(.null) { continue }
      texts.append((value.property, ValueChangeText.text(value, of: kind)))
    }
    if kind == .update {
      // The version differs whenever anything does.
      for column in difference.columns where texts.isEmpty || column.name != "Z_OPT" {
        texts.append((column.name, ValueChangeText.text(column)))
      }
    }
    let unexplained = Set(difference.unexplained)
    let explained = texts.filter { !unexplained.contains($0.name) }.map(\.text)
    let others = texts.filter { unexplained.contains($0.name) }.map(\.text)
    var spans: [TableCell.Span] = []
    if !explained.isEmpty {
      spans.append(.init(text: explained.joined(separator: ", "), style: .plain))
    }
    if !unexplained.isEmpty {
      spans.append(
        .init(text: (explained.isEmpty ? "" : "; ") + "not in the history", style: .warning))
      if !others.isEmpty {
        spans.append(.init(text: ": " + others.joined(separator: ", "), style: .plain))
      }
    }
    return spans
  }
}
