import PropertyLists
import StoreFormat

/// The replacements of the names of a store's model in a scrubbed copy.
struct ScrubNames: Sendable {
  let names: NeutralNames
  let schema: SchemaNames
  /// The keys of the metadata that identify the model.
  let versionProperties: [String: PropertyListValue]
  /// The model of the store, if it is known.
  private let model: ManagedModel?
  /// The translations of masks into the order of the neutral names, by the number of the entity.
  private let translations: [Int64: SlotTranslation]

  /// - Parameters:
  ///   - tables: The tables of the copy.
  ///   - model: The model of the store; `nil` if it is not known. Then names follow from the tables alone.
  ///   - modelTables: The tables of the model.
  init(
    _ snapshot: StoreSnapshot, tables: [String], model: ManagedModel?, modelTables: EntityTables?
  ) throws {
    let entries = snapshot.entities.modelEntries
    let names = NeutralNames(model, entityNames: entries.map(\.name))
    self.names = names
    self.model = model
    let newModel =
      model.map { names.model($0, versionIdentifiers: $0.versionIdentifiers) }
      // Without a model, hashes can cover only the names of entities.
      ?? ManagedModel(
        entities: names.entities.values.map { ManagedEntity(name: $0, properties: []) })
    let numbering = snapshot.entities.renamed { names.entities[$0] ?? "" }
    let newTables = try modelTables.map { _ in
      try EntityTables(model: newModel, numbering: numbering)
    }
    schema = try SchemaNames(
      snapshot, tables: tables, names: names, old: modelTables, new: newTables)
    versionProperties =
      StoreMetadata.versionProperties(
        of: ManagedModel(
          entities: Array(newModel.entities.values),
          versionIdentifiers: NeutralNames.identifiers(snapshot.metadata.modelVersionIdentifiers))
      ).properties
    translations = Self.translations(from: model, to: newModel, entries, names)
  }

  /// The names of the entities of the history.
  static let historyNames: Set<String> = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]

  private static func translations(
    from model: ManagedModel?, to newModel: ManagedModel, _ entries: [EntityNumbering.Entry],
    _ names: NeutralNames
  ) -> [Int64: SlotTranslation] {
    guard let model else { return [:] }
    let (slots, newSlots) = (LazySlots(model), LazySlots(newModel))
    var translations: [Int64: SlotTranslation] = [:]
    for entry in entries {
      guard let old = slots.slots(of: entry.name), let newName = names.entities[entry.name],
        let new = newSlots.slots(of: newName)
      else { continue }
      translations[entry.number] = SlotTranslation(from: old, to: new, renaming: names.properties)
    }
    return translations
  }

  /// Replaces the name of an entity, a model or a mask.
  func replace(
    _ value: StoredValue, _ rule: ScrubPlan.Rule, entity: Int64?, _ values: inout ValueScrubber
  ) throws -> StoredValue {
    switch (rule, value) {
    case (.entityName, .text(let name)):
      if Self.historyNames.contains(name) { return value }
      return .text(names.entities[name] ?? values.scrub(name))
    case (.model, .blob):
      // A model that cannot be read may contain any name.
      guard let model else { return .null }
      var scrubber = values
      let newModel = names.model(model, versionIdentifiers: model.versionIdentifiers) {
        value, type in
        switch type {
        case .boolean where value == .integer(0) || value == .integer(1): value
        case .date: scrubber.shift(value)
        default: scrubber.scrub(value)
        }
      }
      values = scrubber
      return .blob(try newModel.cacheContent())
    case (.mask, .blob(let bytes)):
      // Without a model no names of properties are given out, and the slots stay in their order.
      guard let translation = entity.flatMap({ translations[$0] }) else { return value }
      guard let mask = try? translation.mask(ColumnMask(bytes)) else { return values.scrub(value) }
      return .blob(mask.bytes)
    default: return values.scrub(value)
    }
  }
}
