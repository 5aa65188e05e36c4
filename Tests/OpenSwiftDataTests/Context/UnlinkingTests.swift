import OpenSwiftData
import TestSupport
import Testing

@Model
final class Escort {
  var name: String

  init(name: String) { self.name = name }
}

/// A model to which none of its relationships leads back.
@Model
final class Visitor {
  var name: String
  var escort: Escort?
  var known: [Escort] = []

  init(name: String, escort: Escort? = nil) {
    self.name = name
    self.escort = escort
  }
}

/// What becomes of relationships that none leads back to when a context deletes their other end.
@Suite(.bounded) struct UnlinkingTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let anna: Escort
  private let bruno: Escort

  init() throws {
    container = try ModelContainer(
      for: Visitor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    anna = Escort(name: "Anna")
    bruno = Escort(name: "Bruno")
    context.insert(anna)
    context.insert(bruno)
    try context.save()
  }

  /// What the store has: of each visitor the escort, and the guides that are known to it.
  private func stored() throws -> [String] {
    let visitors = try ModelContext(container).fetch(
      FetchDescriptor<Visitor>(sortBy: [SortDescriptor(\.name)]))
    let alone = try ModelContext(container).fetchCount(
      FetchDescriptor<Visitor>(predicate: #Predicate { $0.escort == nil }))
    #expect(alone == visitors.filter { $0.escort == nil }.count)
    return visitors.map { visitor in
      let known = visitor.known.map(\.name).sorted().joined(separator: " ")
      return "\(visitor.name): \(visitor.escort?.name ?? "-"), \(known)"
    }
  }

  private func visitor(_ name: String, _ escort: Escort?) throws -> Visitor {
    let visitor = Visitor(name: name, escort: escort)
    context.insert(visitor)
    try context.save()
    return visitor
  }

  @Test func `a new model unlinks a deleted one`() throws {
    let visitor = Visitor(name: "Vera", escort: anna)
    context.insert(visitor)
    context.delete(anna)
    try context.save()
    #expect(visitor.escort == nil)
    #expect(try stored() == ["Vera: -, "])
    // And is like any other from then on.
    visitor.escort = bruno
    try context.save()
    #expect(try stored() == ["Vera: Bruno, "])
  }

  @Test func `a deleted unsaved model is unlinked`() throws {
    let carla = Escort(name: "Carla")
    let visitor = Visitor(name: "Vera", escort: carla)
    visitor.known = [anna, carla]
    context.insert(visitor)
    context.delete(carla)
    try context.save()
    #expect(visitor.escort == nil && visitor.known == [anna])
    #expect(try stored() == ["Vera: -, Anna"])
  }

  @Test
  func `removing the relationship to a model that was deleted before is saved`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Visitors.store")
    let container = try ModelContainer(
      for: Visitor.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    let escort = Escort(name: "Anna")
    let visitor = Visitor(name: "Vera", escort: escort)
    context.insert(visitor)
    try context.save()
    context.delete(escort)
    try context.save()
    let query = try StoreQuery(path: path)
    #expect(try query.lines("SELECT ZESCORT FROM ZVISITOR") == ["1"])
    visitor.escort = nil
    #expect(context.hasChanges)
    try context.save()
    #expect(try query.lines("SELECT ifnull(ZESCORT, 'none') FROM ZVISITOR") == ["none"])
    let update = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes.first)
    #expect(update.updatedAttributeNames == ["escort"])
  }

  @Test func `a reinserted model stays related`() throws {
    let carla = Escort(name: "Carla")
    let visitor = Visitor(name: "Vera", escort: carla)
    context.insert(visitor)
    context.delete(carla)
    context.insert(carla)
    try context.save()
    #expect(visitor.escort == carla)
    #expect(try stored() == ["Vera: Carla, "])
  }

  @Test func `a changed model unlinks a deleted one`() throws {
    let visitor = try visitor("Vera", anna)
    visitor.escort = bruno
    context.delete(bruno)
    try context.save()
    #expect(visitor.escort == nil && !context.hasChanges)
    #expect(try stored() == ["Vera: -, "])
  }

  @Test func `relationships set after the deletion are removed`() throws {
    let visitor = try visitor("Vera", nil)
    context.delete(anna)
    visitor.escort = anna
    visitor.known = [anna, bruno]
    try context.save()
    #expect(visitor.escort == nil && visitor.known == [bruno])
    #expect(try stored() == ["Vera: -, Bruno"])
  }

  @Test func `rolling back restores model and relationship`() throws {
    let visitor = try visitor("Vera", anna)
    visitor.escort = bruno
    context.delete(bruno)
    context.delete(anna)
    context.processPendingChanges()
    #expect(visitor.escort == nil)
    context.rollback()
    #expect(visitor.escort == anna)
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Escort>()) == 2)
  }

  #if !canImport(ObjectiveC)
  @Test func `undoing the deletion restores the relationship`() throws {
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let visitor = try visitor("Vera", nil)
    visitor.escort = anna
    context.processPendingChanges()
    context.delete(anna)
    try context.save()
    #expect(visitor.escort == nil)
    manager.undo()
    #expect(visitor.escort == anna)
    try context.save()
    #expect(try stored() == ["Vera: Anna, "])
    manager.redo()
    try context.save()
    #expect(visitor.escort == nil)
    #expect(try stored() == ["Vera: -, "])
  }
  #endif

  /// What a context does not know at all is a mistake, whatever else it deletes.
  @Test func `a model of another context is refused`() throws {
    let other = ModelContext(container)
    let carla = Escort(name: "Carla")
    other.insert(carla)
    let visitor = try visitor("Vera", nil)
    visitor.escort = carla
    context.delete(anna)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  /// Neither `delete` nor `insert` can throw, so the next save does; nothing is lost without a word.
  @Test func `deleting a model of another context fails at the save`() throws {
    let other = ModelContext(container)
    let carla = Escort(name: "Carla")
    other.insert(carla)
    try other.save()
    for misuse in [{ self.context.delete(carla) }, { self.context.insert(carla) }] {
      misuse()
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .modelValidationFailure)
      #expect(error?.identifiers == [carla.persistentModelID])
      #expect(error?.explanation.contains("another context") == true)
      // It is said once, and a rollback takes it back.
      try context.save()
      misuse()
      context.rollback()
      try context.save()
    }
    #expect(try other.fetch(FetchDescriptor<Escort>()).contains { $0.name == "Carla" })
  }

  /// A copy of what leads nowhere, by a context that has deleted the other end itself.
  @Test func `the error names the deleted model`() throws {
    let visitor = try visitor("Vera", anna)
    let identifier = anna.persistentModelID
    context.delete(anna)
    try context.save()
    context.insert(Visitor(name: "Copy", escort: visitor.escort))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.identifiers == [identifier])
    #expect(error?.explanation.contains("without an inverse") == true)
  }
}
