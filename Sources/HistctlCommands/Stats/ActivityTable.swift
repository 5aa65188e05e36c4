import PersistentHistory
import StoreFormat
import Terminal

/// Writes lists of activity, each line with a bar.
struct ActivityTable: FieldPage {
  let session: Session
  let report: StatsReport

  /// A column of an activity.
  private typealias Figure = (column: TableColumn, style: Style, cell: (Activity) -> String)

  /// Writes the authors, the entities or the like.
  func write(_ section: StatsReport.Section) throws {
    // A list without any name is not worth a table.
    guard section.rows.contains(where: { $0.key != nil }) else { return }
    let isOfChanges = section.name == "entity" || section.name == "kind"
    let measure: (Activity) -> Int64 = isOfChanges ? { $0.changes } : { $0.transactions }
    var lines: [Line] = section.grouped.rows.map { row in
      (row.name.cell, row.activity, style(section, row))
    }
    if let rest = section.grouped.rest {
      let count = rest.count.map { "\($0.grouped) more" } ?? "many more"
      lines.append((TableCell("(\(count))", style: .secondary), rest.activity, nil))
    }
    let figures: [Figure] =
      switch section.name {
      case "entity": [changes(9), inserts, updates, deletes, bytes]
      case "kind": [changes(9), transactions(4), bytes]
      default: [transactions(9), changes(4), bytes]
      }
    try write(section.name.uppercased(), figures, lines, measure)
  }

  /// Writes the histories, if there are several.
  func writeStores() throws {
    let lines: [Line] = report.histories.map {
      (TableCell($0.name ?? $0.path), $0.activity, .token)
    }
    try write(
      "STORE", [transactions(9), changes(4), inserts, updates, deletes], lines
    ) { $0.transactions }
  }

  /// Writes the periods with saves, and the number of periods between them.
  func writePeriods() throws {
    let statistics = report.statistics
    var lines: [Line] = []
    var last: HistoryPeriod?
    for entry in statistics.periods {
      let gap = PeriodRun.emptyPeriods(between: last, and: entry.period, statistics.clock)
      if gap > 0 {
        let unit = statistics.unit.rawValue + (gap == 1 ? "" : "s")
        lines.append((TableCell("(\(gap.grouped) \(unit))", style: .secondary), nil, nil))
      }
      lines.append((TableCell(entry.period.name), entry.activity, .token))
      last = entry.period
    }
    try write(
      statistics.unit.rawValue.uppercased(),
      [transactions(9), changes(4), inserts, updates, deletes, bytes], lines, canShrink: false
    ) { $0.transactions }
  }

  // MARK: - Columns

  private func transactions(_ priority: Int) -> Figure {
    figure("TRANSACTIONS", priority) { $0.transactions }
  }
  private func changes(_ priority: Int) -> Figure { figure("CHANGES", priority) { $0.changes } }
  private var inserts: Figure { figure("INSERTS", 3, .inserted) { $0.inserts } }
  private var updates: Figure { figure("UPDATES", 2, .updated) { $0.updates } }
  private var deletes: Figure { figure("DELETES", 1, .deleted) { $0.deletes } }
  private var bytes: Figure {
    let cell: (Activity) -> String = { activity in
      report.statistics.byteCount(of: activity).map { "\(ByteCount($0))" } ?? "-"
    }
    return (column("BYTES", 0), .plain, cell)
  }

  private func figure(
    _ title: String, _ priority: Int, _ style: Style = .plain,
    _ count: @escaping (Activity) -> Int64
  ) -> Figure {
    (column(title, priority), style, { count($0) == 0 ? "-" : count($0).grouped })
  }

  private func column(_ title: String, _ priority: Int) -> TableColumn {
    TableColumn(title, alignment: .trailing, priority: priority, canDrop: true)
  }

  // MARK: - Lines

  /// The color of the bar is `nil` for a line without one.
  private typealias Line = (label: TableCell, activity: Activity?, bar: Style?)

  /// The minimum width of a useful bar.
  private static let minBarWidth = 8

  /// Returns the width that the figures leave for bars, or 0 for no bars.
  private func barWidth(beside columns: [TableColumn], _ rows: [[TableCell]]) -> Int {
    let wished = min(max(session.environment.columns / 4, Self.minBarWidth), 40)
    guard let limit = session.environment.lineWidth else { return wished }
    let figures = Table(
      columns: columns, sample: rows, lineWidth: nil, text: .terminal,
      palette: session.palette)
    let available = min(limit - figures.width - TableLayout.gap, wished)
    return available < Self.minBarWidth ? 0 : available
  }

  private func style(_ section: StatsReport.Section, _ row: StatsReport.GroupRow) -> Style {
    guard section.name == "kind" else { return .token }
    return switch row.name.label.flatMap(ChangeKind.init(name:)) {
    case .insert: .inserted
    case .update: .updated
    case .delete: .deleted
    case nil: .secondary
    }
  }

  private func write(
    _ title: String, _ figures: [Figure], _ lines: [Line], canShrink: Bool = true,
    _ measure: (Activity) -> Int64
  ) throws {
    let largest = lines.filter { $0.bar != nil }.compactMap { $0.activity.map(measure) }.max() ?? 0
    let isUTF8 = session.environment.isUTF8
    var rows = lines.map { line -> [TableCell] in
      guard let activity = line.activity else { return [line.label] }
      return [line.label]
        + figures.map { figure -> TableCell in
          let text = figure.cell(activity)
          return TableCell(text, style: text == "-" ? .secondary : figure.style)
        }
    }
    var columns =
      [TableColumn(title, priority: 10, minimumWidth: 8, canShrink: canShrink)]
      + figures.map(\.column)
    var barWidth = barWidth(beside: columns, rows)
    // A bar is more useful than the bytes, which follow from the changes.
    if barWidth == 0, figures.last?.column.title == bytes.column.title {
      let shorter = rows.map { Array($0.prefix(figures.count)) }
      barWidth = self.barWidth(beside: columns.dropLast(), shorter)
      if barWidth > 0 {
        session.leaveOut([columns.removeLast().title])
        rows = shorter
      }
    }
    if barWidth > 0 {
      columns.append(TableColumn("", priority: 8, canDrop: true))
      for (place, line) in lines.enumerated() {
        guard let activity = line.activity else { continue }
        let share = largest > 0 ? Double(measure(activity)) / Double(largest) : 0
        let bar = Bars.bar(
          fraction: line.bar == nil ? 0 : share, width: barWidth, isUTF8: isUTF8)
        rows[place].append(TableCell(bar, style: line.bar ?? .plain))
      }
    }
    try writeTable(columns, rows)
  }
}
