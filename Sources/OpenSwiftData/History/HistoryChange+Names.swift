/// What a change says without anybody's knowing the class of the model.
///
/// SwiftData tells the properties of a change only to who casts it to the class that it is about.
extension HistoryChange {
  /// What was done to a model.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// It was put into the store.
    case insert
    /// It was changed.
    case update
    /// It was deleted.
    case delete
  }

  /// What was done.
  public var kind: Kind {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }

  /// The name of the model's entity.
  public var entityName: String { changedPersistentIdentifier.entityName }

  /// The names of the properties that an update has set, in the order of
  /// ``HistoryUpdate/updatedAttributes``; empty for an insert and a delete.
  public var updatedAttributeNames: [String] {
    if case .update(let update) = self { update.updatedAttributeNames } else { [] }
  }

  /// What a deleted model has left behind, by the name of the property; empty for an insert and an
  /// update.
  public var preservedValues: [String: any Sendable] {
    if case .delete(let delete) = self { delete.preservedValues } else { [:] }
  }
}

extension HistoryUpdate {
  /// The names of the properties that were set, in the order of ``updatedAttributes``.
  public var updatedAttributeNames: [String] {
    let layout = EntityLayout.of(Model.self)
    return updatedAttributes.compactMap { keyPath in
      layout.indexIfAny(of: keyPath).map { layout.properties[$0].name }
    }
  }
}

extension HistoryDelete {
  /// What the model has left behind, by the name of the property.
  public var preservedValues: [String: any Sendable] { tombstone.preservedValues }
}
