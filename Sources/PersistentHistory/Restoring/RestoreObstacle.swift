import StoreFormat

/// Why sealed history cannot be put back into a store.
package enum RestoreObstacle: Error, Hashable, Sendable {
  /// The history is that of another store.
  case otherStore(path: String, identifier: String, sealed: String)
  /// The store and the sealed history are of two copies of a store that went separate ways.
  case diverged(path: String, transaction: Int64, detail: String)
  /// Transactions between the sealed ones and the store's are nowhere; `oldest` is the first behind
  /// the gap, nil where the store's history is empty.
  case gap(path: String, newestSealed: Int64, oldest: Int64?, newestIssued: Int64)
  /// The transaction from which on history was to be restored is not sealed.
  case notSealed(path: String, wanted: Int64, oldestSealed: Int64?)
  /// The model has changed since, so that a change has no meaning in it any more.
  case changedModel(path: String, transaction: Int64, ModelChange)
  /// The tables of the store have no place for what a transaction holds.
  case unfitTable(path: String, transaction: Int64, detail: String)
  /// The store has lost so many texts, and there are not so many numbers that could be theirs.
  case withoutTextNumbers(path: String, count: Int)
  /// A transaction does not come before the one that it was given behind.
  case disorder(transaction: Int64)

  /// What has changed in a model.
  package enum ModelChange: Error, Hashable, Sendable {
    /// There is no entity of this name.
    case missingEntity(String)
    /// A number that stood for no entity stands for this one now.
    case namedNumber(Int64, entity: String)
    /// The properties of the entity cannot be known, then or now.
    case unknownProperties(entity: String)
    /// A property is not what it was.
    case property(entity: String, SlotTranslation.Problem)
  }
}

extension RestoreObstacle {
  /// The path of the store; nil where it is not to blame.
  package var path: String? {
    switch self {
    case .otherStore(let path, _, _), .diverged(let path, _, _), .gap(let path, _, _, _),
      .notSealed(let path, _, _), .changedModel(let path, _, _), .unfitTable(let path, _, _),
      .withoutTextNumbers(let path, _):
      path
    case .disorder: nil
    }
  }

  /// The transaction that it is about; nil where it is about none.
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
      "the sealed history is that of another store, \(sealed); \(path) is \(identifier)"
    case .diverged(let path, let transaction, let detail):
      "the sealed history is that of another copy of \(path): transaction \(transaction): \(detail)"
    case .gap(let path, let sealed, let oldest?, _):
      "there is a gap between what is sealed and \(path): the sealed history ends with transaction "
        + "\(sealed), and that of the store begins with \(oldest)"
    case .gap(let path, let sealed, nil, let issued):
      "there is a gap between what is sealed and \(path): the sealed history ends with transaction "
        + "\(sealed), and the store, whose history is empty, has counted on to \(issued)"
    case .notSealed(let path, let wanted, let oldest?):
      "transaction \(wanted) of \(path) is not sealed, or not without a gap up to the store: what is "
        + "begins with transaction \(oldest)"
    case .notSealed(let path, let wanted, nil):
      "transaction \(wanted) of \(path) is not sealed, nor is any other before those of the store"
    case .changedModel(let path, let transaction, let change):
      "transaction \(transaction) cannot be put back into \(path), whose model has changed since: "
        + change.text
    case .unfitTable(let path, let transaction, let detail):
      "transaction \(transaction) cannot be put back into \(path): \(detail)"
    case .withoutTextNumbers(let path, let count):
      "\(path) has lost \(count) of the texts that its transactions name, and has no numbers left for "
        + "them that the app will not hand out itself"
    case .disorder(let transaction):
      "transaction \(transaction) is sealed out of order"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .otherStore: "give the store that was sealed, or its own archive"
    case .diverged: "give the archive of this copy, or the copy that was sealed"
    case .gap:
      "find the archive or the export that has what is missing; only history without a gap can be "
        + "restored"
    case .notSealed(_, _, let oldest?):
      "name transaction \(oldest) or a later one, or restore all that is sealed"
    case .notSealed(_, _, nil): "nothing can be restored; see what the archive has"
    case .changedModel(_, let transaction, _), .unfitTable(_, let transaction, _):
      "restore only what came later, from \(transaction == .max ? transaction : transaction + 1) on"
        + ", or read the archive in place of the store"
    case .withoutTextNumbers: "read the archive in place of the store"
    case .disorder: "verify the archive, which names what is wrong"
    }
  }
}

extension RestoreObstacle.ModelChange {
  /// The change in words.
  package var text: String {
    switch self {
    case .missingEntity(let name): "it has no entity \(name) any more"
    case .namedNumber(let number, let entity):
      "the number \(number), which stood for no entity, is that of \(entity) now"
    case .unknownProperties(let entity):
      "the properties of \(entity) cannot be known, then or now, so that nothing can be compared"
    case .property(let entity, let problem):
      switch problem {
      case .unfitMask: "an update of \(entity) does not fit the model under which it was sealed"
      case .missing(let property): "\(entity) has no \(property) any more"
      case .changed(let property): "\(entity).\(property) is not of the same kind or type any more"
      case .unpreserved(let attribute):
        "\(entity).\(attribute) is no longer kept when objects are deleted"
      case .unnamedValue(let slot):
        "the value in ZTOMBSTONE\(slot) of a deleted object of \(entity) never had a name"
      }
    }
  }
}

extension RestoreObstacle: CustomStringConvertible {
  /// The message and the remedy as one line.
  package var description: String { "\(message) (\(remedy))" }
}
