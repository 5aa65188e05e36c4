import StoreEditing
import StoreFormat

/// What a save needs and is not in the store any more.
extension DefaultStore {
  /// So many objects are looked for with one question.
  private static let soughtAtOnce = 500

  /// Checks whether it is of use to try a save again that needs an object which is not there: what had
  /// the unique values of a new model may have been deleted between the look and the save.
  ///
  /// - Throws: ``SwiftDataError`` where what the save itself names is not there, or this was the last
  ///   attempt.
  static func checkMissing(
    _ parts: [StoreRequest], _ error: StoreWriteError, isLast: Bool
  ) throws {
    let missing = try parts.flatMap { try $0.store.missingModels(of: $0.request) }
    guard missing.isEmpty, !isLast else { throw SwiftDataError.missingModels(missing, error) }
  }

  /// The models that a save changes, or lets others lead to, and that are not in the store.
  func missingModels(
    of request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [PersistentIdentifier] {
    var seen: Set<PersistentIdentifier> = []
    var named: [PersistentIdentifier] = []
    func add(_ identifier: PersistentIdentifier) {
      if !identifier.isTemporary, seen.insert(identifier).inserted { named.append(identifier) }
    }
    for snapshot in request.updated { add(snapshot.persistentIdentifier) }
    for snapshot in request.inserted + request.updated {
      for index in snapshot.changedPlaces {
        if case .toOne(let reference?) = snapshot.values[index] { add(reference.identifier) }
      }
    }
    var present: Set<StoreObject> = []
    for (name, group) in Dictionary(grouping: named, by: \.entityName) {
      let keys = try group.compactMap { try object($0).primaryKey }.map(StoredValue.integer)
      for start in stride(from: 0, to: keys.count, by: Self.soughtAtOnce) {
        let part = Array(keys[start..<min(start + Self.soughtAtOnce, keys.count)])
        let fetch = ObjectFetch(
          name, where: .contained(.primaryKey(ObjectPath(variable: 0)), part))
        present.formUnion(try translating { try fetcher.identifiers(fetch) })
      }
    }
    return try named.filter { !present.contains(try object($0)) }
  }
}

extension StoreWriteError {
  /// Whether an object is not there that a save needs.
  var isMissingObject: Bool {
    if case .missingObject = self { true } else { false }
  }
}

extension SwiftDataError {
  /// That of a save that needs models which are not there any more.
  static func missingModels(
    _ identifiers: [PersistentIdentifier], _ error: StoreWriteError
  ) -> SwiftDataError {
    guard !identifiers.isEmpty else { return SwiftDataError(.modelValidationFailure, "\(error)") }
    let names = identifiers.prefix(5).map { "\($0.entityName)/p\($0.number ?? 0)" }
    let rest = identifiers.count > names.count ? " and \(identifiers.count - names.count) more" : ""
    return SwiftDataError(
      .modelValidationFailure,
      "\(names.joined(separator: ", "))\(rest) are deleted, and have changes here or are what "
        + "other models lead to: others have deleted them meanwhile, or this context did while a "
        + "relationship without an inverse led there; delete these models in the context as well, "
        + "let nothing that is to be saved lead to them, or roll the context back",
      identifiers: identifiers)
  }
}
