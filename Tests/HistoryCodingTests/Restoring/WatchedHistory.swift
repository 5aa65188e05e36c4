import PersistentHistory

/// Sealed history that tells when it is read.
final class WatchedHistory: SealedLines {
  private let onRead: () throws -> Void
  private let onChange: () throws -> Void

  init(
    base: SealedLines, onRead: @escaping () throws -> Void,
    onChange: @escaping () throws -> Void = {}
  ) {
    self.onRead = onRead
    self.onChange = onChange
    super.init(storeIdentifier: base.storeIdentifier ?? "", transactions: base.transactions)
  }

  override func transactions(_ query: HistoryQuery) throws -> any TransactionSource {
    Reader(base: try super.transactions(query), history: self)
  }

  private final class Reader: TransactionSource {
    let base: any TransactionSource
    let history: WatchedHistory

    init(base: any TransactionSource, history: WatchedHistory) {
      self.base = base
      self.history = history
    }

    func nextTransaction() throws -> HistoryTransaction? {
      try history.onRead()
      return try base.nextTransaction()
    }

    func nextChange() throws -> HistoryChange? {
      try history.onChange()
      return try base.nextChange()
    }
  }
}
