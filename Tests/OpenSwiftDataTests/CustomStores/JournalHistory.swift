import OpenSwiftData

/// A place in the history of a journal: a number of lines.
struct JournalToken: HistoryToken {
  let number: Int
  let storeIdentifier: String

  var tokenValue: Int? { number }
  var id: Int { number }

  static func < (left: JournalToken, right: JournalToken) -> Bool { left.number < right.number }
}

/// One line of a journal.
struct JournalTransaction: HistoryTransaction {
  let timestamp: Date
  let changes: [HistoryChange]
  let token: JournalToken
  let transactionIdentifier: Int
  let storeIdentifier: String
  let author: String?

  var id: Int { transactionIdentifier }

  static func == (left: JournalTransaction, right: JournalTransaction) -> Bool {
    left.token == right.token
  }

  func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

struct JournalInsert<Model: PersistentModel>: HistoryInsert {
  let changeIdentifier: Int
  let transactionIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
}

struct JournalDelete<Model: PersistentModel>: HistoryDelete {
  let changeIdentifier: Int
  let transactionIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
  let tombstone: HistoryTombstone<Model>
}
