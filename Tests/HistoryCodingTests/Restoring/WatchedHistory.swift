import PersistentHistory

/// Sealed history that tells when it is read.
struct WatchedHistory: RestorableHistory {
  let base: SealedLines
  let onRead: () throws -> Void
  var onChange: () throws -> Void = {}

  var storeIdentifier: String { base.storeIdentifier }

  func transactions(through number: Int64) throws -> any TransactionSource {
    Reader(base: try base.transactions(through: number), history: self)
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
