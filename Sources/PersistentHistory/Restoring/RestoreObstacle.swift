import StoreFormat

/// The reason why sealed history cannot be restored to a store.
package enum RestoreObstacle: Error, Hashable, Sendable {
  /// The sealed history is of another store.
  case otherStore(path: String, identifier: String, sealed: String)
  /// The sealed history is of another copy of the store.
  case diverged(path: String, transaction: Int64, detail: String)
  /// Transactions between the sealed history and the store's are missing; `oldest` is the first one
  /// after them, or `nil` if the store's history is empty.
  case gap(path: String, newestSealed: Int64, oldest: Int64?, newestIssued: Int64)
  /// The first transaction to restore is not sealed.
  case notSealed(path: String, wanted: Int64, oldestSealed: Int64?)
  /// A change has no meaning in the present model.
  case changedModel(path: String, transaction: Int64, ModelChange)
  /// The store's tables cannot hold a value of a transaction.
  case unfitTable(path: String, transaction: Int64, detail: String)
  /// The store has lost texts, and has too few free numbers for them.
  case withoutTextNumbers(path: String, count: Int)
  /// A transaction is sealed out of order.
  case disorder(transaction: Int64)

  package enum ModelChange: Error, Hashable, Sendable {
    /// The model has no entity of this name.
    case missingEntity(String)
    /// A number that named no entity names this one now.
    case namedNumber(Int64, entity: String)
    /// The properties of the entity, then or now, are unknown.
    case unknownProperties(entity: String)
    /// A property has changed.
    case property(entity: String, SlotTranslation.Problem)
  }
}

extension RestoreObstacle {
  /// The path of the store, or `nil` if the sealed history is wrong.
  package var path: String? {
    switch self {
    case .otherStore(let path, _, _), .diverged(let path, _, _), .gap(let path, _, _, _),
      .notSealed(let path, _, _), .changedModel(let path, _, _), .unfitTable(let path, _, _),
      .withoutTextNumbers(let path, _):
      path
    case .disorder: nil
    }
  }

  /// The transaction that the obstacle is about, if any.
  package var transaction: Int64? {
    switch self {
    case .diverged(_, let number, _), .notSealed(_, let number, _), .changedModel(_, let number, _),
      .unfitTable(_, let number, _), .disorder(let number):
      number
    case .otherStore, .gap, .withoutTextNumbers: nil
    }
  }

  /// What is wrong.
  package var message: String {
    switch self {
    case .otherStore(let path, let identifier, let sealed):
      "the sealed history is of another store, \(sealed); \(path) is \(identifier)"
    case .diverged(let path, let transaction, let detail):
      "the sealed history is of another copy of \(path): transaction \(transaction): \(detail)"
    case .gap(let path, let sealed, let oldest?, _):
      "there is a gap between the sealed history and \(path): the sealed history ends with transaction "
        + "\(sealed), and the store begins with \(oldest)"
    case .gap(let path, let sealed, nil, let issued):
      "there is a gap between the sealed history and \(path): the sealed history ends with transaction "
        + "\(sealed), and the store, whose history is empty, has counted up to \(issued)"
    case .notSealed(let path, let wanted, let oldest?):
      "transaction \(wanted) of \(path) is not sealed without a gap to the store: the sealed history "
        + "begins with transaction \(oldest)"
    case .notSealed(let path, let wanted, nil):
      "transaction \(wanted) of \(path) is not sealed, nor is any other that the store lacks"
    case .changedModel(let path, let transaction, let change):
      "cannot restore transaction \(transaction) to \(path), whose model has changed: "
        + change.text
    case .unfitTable(let path, let transaction, let detail):
      "cannot restore transaction \(transaction) to \(path): \(detail)"
    case .withoutTextNumbers(let path, let count):
      "\(path) has lost \(count) of the texts that its transactions name, and has no free numbers for "
        + "them that the app will not use itself"
    case .disorder(let transaction):
      "transaction \(transaction) is sealed out of order"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .otherStore: "name the store that was sealed, or the archive of this store"
    case .diverged: "name the archive of this copy, or the copy that was sealed"
    case .gap:
      "find the archive or export with the missing transactions; only history without a gap can be "
        + "restored"
    case .notSealed(_, _, let oldest?):
      "name transaction \(oldest) or a later one, or restore all that is sealed"
    case .notSealed(_, _, nil): "nothing can be restored; list what the archive has"
    case .changedModel(_, let transaction, _), .unfitTable(_, let transaction, _):
      "restore only later transactions, from \(transaction == .max ? transaction : transaction + 1) on"
        + ", or read the archive in place of the store"
    case .withoutTextNumbers: "read the archive in place of the store"
    case .disorder: "verify the archive, which lists all damage"
    }
  }
}

extension RestoreObstacle.ModelChange {
  /// The change of the model, in words.
  package var text: String {
    switch self {
    case .missingEntity(let name): "it no longer has the entity \(name)"
    case .namedNumber(let number, let entity):
      "the number \(number), which named no entity, names \(entity) now"
    case .unknownProperties(let entity):
      "the properties of \(entity), then or now, are unknown"
    case .property(let entity, let problem):
      switch problem {
      case .unfitMask: "an update of \(entity) does not fit the model under which it was sealed"
      case .missing(let property): "\(entity) no longer has \(property)"
      case .changed(let property): "\(entity).\(property) has another kind or type now"
      case .unpreserved(let attribute):
        "\(entity).\(attribute) is no longer preserved on deletion"
      case .unnamedValue(let slot):
        "the value in ZTOMBSTONE\(slot) of a deleted object of \(entity) has no name"
      }
    }
  }
}

extension RestoreObstacle: CustomStringConvertible {
  /// The message and the remedy as one line.
  package var description: String { "\(message) (\(remedy))" }
}
