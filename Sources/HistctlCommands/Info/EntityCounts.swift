import HistoryArchive
import HistoryCoding
import PersistentHistory
import Terminal

/// The numbers of changes of one entity.
struct EntityCounts {
  let label: String
  let inserts: Int64
  let updates: Int64
  let deletes: Int64

  /// The numbers of a store.
  init(_ count: HistoryOverview.EntityCount) {
    label = count.entity.label
    (inserts, updates, deletes) = (count.inserts, count.updates, count.deletes)
  }

  /// The numbers of an archive.
  init(_ count: ArchiveOverview.EntityCount) {
    label = count.label
    (inserts, updates, deletes) = (count.counts.inserts, count.counts.updates, count.counts.deletes)
  }

  var json: JSONValue {
    .object(of: [
      "entity": label, "inserts": inserts, "updates": updates, "deletes": deletes,
    ])
  }

  fileprivate var cells: [TableCell] {
    func cell(_ count: Int64, _ style: Style) -> TableCell {
      TableCell(count == 0 ? "-" : count.grouped, style: count == 0 ? .secondary : style)
    }
    return [
      TableCell(label), cell(inserts, .inserted), cell(updates, .updated), cell(deletes, .deleted),
    ]
  }
}

extension FieldPage {
  /// Writes a table of entities, or nothing without entities.
  ///
  /// - Parameter rowLimit: The maximum number of rows; the others are counted.
  func writeTable(_ entities: [EntityCounts], rowLimit: Int) throws {
    guard !entities.isEmpty else { return }
    let rows = entities.prefix(rowLimit).map(\.cells)
    try writeTable(
      [
        TableColumn("ENTITY", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("INSERTS", alignment: .trailing, priority: 3, canDrop: true),
        TableColumn("UPDATES", alignment: .trailing, priority: 2, canDrop: true),
        TableColumn("DELETES", alignment: .trailing, priority: 1, canDrop: true),
      ], rows, hidden: entities.count - rows.count)
  }
}
