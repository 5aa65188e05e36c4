import HistoryCoding
import PersistentHistory
import Terminal

/// Writes net changes for people: `~ Trip/p12` and its details.
enum NetChangeText {
  /// The object with the sign of its net change.
  static func object(_ change: NetChange) -> TableCell {
    let sign = change.kind.map { ChangeSign($0) }
    return TableCell(name(change, sign: sign?.text ?? " "), style: sign?.style ?? .secondary)
  }

  /// The object; one of an entity without a name by the entity's number.
  static func name(_ change: NetChange, sign: String = "") -> String {
    var name = ""
    // Reserve the memory once: there may be millions of names.
    name.reserveCapacity(change.entity.label.utf8.count + 26)
    if !sign.isEmpty {
      name += sign
      name += " "
    }
    name += change.entity.label
    name += "/p"
    name += String(change.primaryKey)
    return name
  }

  /// The transactions that changed it: the one, or the first and the last.
  static func transactions(_ change: NetChange) -> TableCell {
    let first = String(change.firstTransaction)
    return TableCell(
      change.firstTransaction == change.lastTransaction
        ? first : first + "-" + String(change.lastTransaction),
      style: .token)
  }

  /// The details of a net change.
  static func details(_ change: NetChange) -> TableCell {
    var parts: [TableCell.Span] = []
    switch change.kind {
    case .insert, nil: return TableCell("")
    case .update:
      if change.columns.mask == nil || !change.columns.isComplete {
        parts.append(.init(text: "not all columns are known", style: .warning))
      }
      if let mask = change.columns.mask {
        parts.append(ChangeText.columns(change.attributes, mask, change.values))
      }
    case .replace:
      parts.append(.init(text: "another object has its key now", style: .warning))
      parts.append(ChangeText.tombstone(change.preservedValues, change.tombstone))
    case .delete:
      parts.append(ChangeText.tombstone(change.preservedValues, change.tombstone))
    }
    return TableCell(spans: ChangeText.spaced(parts))
  }

  /// The numbers of objects by net change that are not 0.
  static func counts(_ counts: NetChangeSummary.Counts) -> [SignedCount] {
    [
      (.insert, counts.inserts), (.update, counts.updates), (.delete, counts.deletes),
      (.replace, counts.replaces),
    ].filter { $0.1 > 0 }
  }

  /// The number of objects by kind, such as `3 objects: 1 inserted, 2 updated`.
  static func summary(_ counts: NetChangeSummary.Counts) -> [TableCell.Span] {
    var spans: [TableCell.Span] = [.init(text: counts.total.counted("object"), style: .plain)]
    for (sign, count) in Self.counts(counts) {
      spans.append(.init(text: spans.count == 1 ? ": " : ", ", style: .plain))
      spans.append(.init(text: "\(count.grouped) \(sign.word)", style: sign.style))
    }
    return spans
  }

  /// Makes the table of objects and what became of them.
  static func table(
    _ page: some FieldPage, minimumWidth: Int
  ) -> StreamedTable {
    page.streamedTable([
      TableColumn("OBJECT", priority: 6, minimumWidth: minimumWidth, canShrink: true),
      TableColumn("TOKENS", priority: 1, canDrop: true),
      TableColumn("DETAILS", priority: 5, minimumWidth: 10, canShrink: true, canDrop: true),
    ])
  }
}

extension FieldPage {
  /// Returns the entities, that with the most changed objects first.
  func sorted(_ summary: NetChangeSummary) -> [NetChangeSummary.Entry] {
    func label(_ entry: NetChangeSummary.Entry) -> String { entry.entity?.label ?? "(others)" }
    return summary.entries.sorted {
      ($1.counts.total, label($0)) < ($0.counts.total, label($1))
    }
  }

  /// Writes the number of changed objects of each entity, with bars, the most first.
  ///
  /// - Parameter path: The path of the store, if there are several.
  func writeStat(_ summary: NetChangeSummary, path: String?) throws {
    let entries = sorted(summary)
    guard isJSON else {
      return try write(
        entries.map {
          Bars.Row(
            label: $0.entity?.label ?? "(others)", counts: NetChangeText.counts($0.counts))
        })
    }
    for entry in entries {
      let name = entry.entity?.name
      try writer.writeLine(
        .record(
          "netCount",
          [
            "path": path, "entity": name, "entityRaw": name == nil ? entry.entity?.number : nil,
            "inserts": entry.counts.inserts, "updates": entry.counts.updates,
            "deletes": entry.counts.deletes, "replaces": entry.counts.replaces,
          ]))
    }
  }
}
