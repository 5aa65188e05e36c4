import PersistentHistory
import Terminal

/// Writes net changes for people: `~ Trip/p12` and its details.
enum NetChangeText {
  /// The object with the sign of its net change.
  static func object(_ change: NetChange) -> TableCell {
    let sign = sign(of: change.kind)
    return TableCell(name(change, sign: sign.text), style: sign.style)
  }

  /// The sign of a net change.
  static func sign(of kind: NetChangeKind?) -> (text: String, style: Style) {
    switch kind {
    case .insert: ("+", .inserted)
    case .update: ("~", .updated)
    case .delete: ("-", .deleted)
    case .replace: ("±", .warning)
    case nil: (" ", .secondary)
    }
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

  /// The number of objects by kind, such as `3 objects: 1 inserted, 2 updated`.
  static func summary(_ counts: NetChangeSummary.Counts) -> [TableCell.Span] {
    let kinds: [(Int, String, Style)] = [
      (counts.inserts, "inserted", .inserted), (counts.updates, "updated", .updated),
      (counts.deletes, "deleted", .deleted), (counts.replaces, "replaced", .warning),
    ]
    var spans: [TableCell.Span] = [.init(text: counts.total.counted("object"), style: .plain)]
    for (count, word, style) in kinds where count > 0 {
      spans.append(.init(text: spans.count == 1 ? ": " : ", ", style: .plain))
      spans.append(.init(text: "\(count.grouped) \(word)", style: style))
    }
    return spans
  }
}
