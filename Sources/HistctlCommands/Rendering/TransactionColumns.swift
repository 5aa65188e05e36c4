import PersistentHistory
import StoreFormat
import Terminal

/// The columns that say which transaction a row is about: TOKEN, STORE if there are several, TIME, AUTHOR and
/// PROCESS.
struct TransactionColumns {
  let columns: [TableColumn]
  private let reading: HistoryReading
  private let showsAuthors: Bool
  private let showsProcess: Bool

  /// - Parameters:
  ///   - reading: The history.
  ///   - showsAuthors: Whether any transaction has an author; those of most apps have none.
  ///   - showsProcess: Whether there is a column for the process.
  ///   - asked: The conditions on who saved; what was asked for stays on a narrow terminal.
  ///   - authorPriority: The priority of the author, between 40 of the time and 50 of the token, or below.
  init(
    _ reading: HistoryReading, showsAuthors: Bool, showsProcess: Bool = true,
    asked: AuthorOptions? = nil, authorPriority: Int = 30
  ) {
    self.reading = reading
    self.showsAuthors = showsAuthors
    self.showsProcess = showsProcess
    let author = TableColumn(
      // Narrower, most names could not be told apart.
      "AUTHOR", priority: authorPriority, minimumWidth: 8, canShrink: true,
      canDrop: asked?.namesAuthors != true)
    let process = TableColumn(
      "PROCESS", priority: 10, minimumWidth: 7, canShrink: true,
      canDrop: asked?.process.isEmpty ?? true)
    columns =
      [
        // Of several stores, the identifiers would leave no room for the time.
        TableColumn(
          "TOKEN", alignment: reading.tokens.isQualified ? .leading : .trailing, priority: 50,
          minimumWidth: 14, canShrink: reading.name != nil)
      ] + (reading.name == nil ? [] : [.store])
      + [TableColumn("TIME", priority: 40, canDrop: true)]
      + (showsAuthors ? [author] : []) + (showsProcess ? [process] : [])
  }

  /// Returns the cells of a transaction.
  ///
  /// - Parameter history: The history that has it; `nil` if there is only one.
  func cells(
    _ transaction: HistoryTransaction, of history: HistoryReading? = nil
  ) -> [TableCell] {
    cells(transaction.number, transaction.timestamp, transaction.author, of: history)
      + (showsProcess ? [TableCell(transaction.process?.string ?? "", style: .secondary)] : [])
  }

  /// Returns the cells of a transaction of which no more is known.
  func cells(
    _ number: Int64, _ timestamp: StoreTimestamp?, _ author: RecordedText?,
    of history: HistoryReading? = nil
  ) -> [TableCell] {
    let history = history ?? reading
    return [TableCell(history.tokens.text(number), style: .token)]
      + (history.name.map { [TableCell($0)] } ?? []) + [history.time.cell(timestamp)]
      + (showsAuthors ? [TableCell(author?.string ?? "")] : [])
  }

  /// The cells where no transaction is known.
  var unknown: [TableCell] {
    [TableCell("-", style: .token), TableCell("-")] + (showsAuthors ? [TableCell("")] : [])
  }
}

extension TableColumn {
  /// The column for the name of a store, where several are shown.
  static let store = TableColumn("STORE", priority: 45, minimumWidth: 8, canShrink: true)
}
