import Foundation
import StoreFormat

/// That somebody has saved to a store.
struct RecordedSave: Sendable {
  let storeIdentifier: String
  /// The transaction's number; nil in a store of one's own, and where it is not known.
  var number: Int64?
  /// The place behind the save; nil where the store keeps no history.
  var token: (any HistoryToken)?
  var author: String?
  /// The entities of the models that were saved; nil where they are not known.
  var entityNames: Set<String>?
  /// The context that has saved; nil for anything that is not one of the container's contexts.
  var contextIdentifier: UUID?
}

extension Int64 {
  /// The next transaction's number; a store may name any.
  var following: Int64 { self == .max ? .max : self + 1 }
}

extension StoreSnapshot {
  /// The number of the newest transaction that was ever recorded, whether or not it is still there; 0
  /// where there was none.
  func highestTransaction() throws -> Int64 {
    max(entities.highestNumber(of: .transaction), try newestTransaction()?.number ?? 0)
  }

  /// What a part of the history says of each save, without the single changes.
  func recordedSaves(
    after number: Int64, until last: Int64, storeIdentifier: String
  ) throws -> [RecordedSave] {
    let selection = TransactionSelection(after: number, until: last)
    let transactions = try transactions(selection)
    let changes = try changes(selection, detail: .kinds)
    var saves: [RecordedSave] = []
    while try transactions.next() {
      var names: Set<String> = []
      try changes.start(transaction: transactions.number)
      while try changes.next() {
        if let name = changes.entityNumber.flatMap(entities.name) { names.insert(name) }
      }
      saves.append(
        RecordedSave(
          storeIdentifier: storeIdentifier, number: transactions.number,
          token: DefaultHistoryToken([storeIdentifier: transactions.number]),
          author: transactions.author?.string, entityNames: names))
    }
    return saves
  }
}
