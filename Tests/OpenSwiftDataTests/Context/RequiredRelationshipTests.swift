import OpenSwiftData
import TestSupport
import Testing

@Model
final class Guardian {
  var name: String
  @Relationship(inverse: \Ward.guardian) var wards: [Ward] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Ward {
  var name: String
  var guardian: Guardian

  init(_ name: String, guardian: Guardian) {
    self.name = name
    self.guardian = guardian
  }
}

/// A model that must be related to one is not saved without it.
@Suite(.bounded) struct RequiredRelationshipTests {
  private let folder: TemporaryFolder
  private let context: ModelContext
  private let ann: Guardian

  init() throws {
    folder = try TemporaryFolder()
    context = ModelContext(
      try ModelContainer(
        for: Guardian.self, Ward.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("W.store")))))
    ann = Guardian("Ann")
    context.insert(ann)
    for name in ["Tom", "Sue"] { context.insert(Ward(name, guardian: ann)) }
    try context.save()
  }

  private func links() throws -> [String] {
    try StoreQuery(path: folder.file("W.store")).lines(
      "SELECT ZNAME, ZGUARDIAN FROM ZWARD ORDER BY 1")
  }

  private func expectRefusal() throws {
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.explanation.contains("Ward.guardian") == true, "\(String(describing: error))")
    #expect(try links() == ["Sue|1", "Tom|1"])
    #expect(context.hasChanges)
    context.rollback()
    #expect(ann.wards.map(\.name).sorted() == ["Sue", "Tom"])
    #expect(ann.wards.allSatisfy { $0.guardian === ann })
  }

  @Test func `deleting the other end is refused`() throws {
    context.delete(ann)
    try expectRefusal()
  }

  @Test func `emptying the list is refused`() throws {
    ann.wards = []
    try expectRefusal()
  }

  @Test func `deleted or reassigned models pass validation`() throws {
    let bob = Guardian("Bob")
    context.insert(bob)
    let wards = ann.wards.sorted { $0.name < $1.name }
    wards[0].guardian = bob
    context.delete(wards[1])
    context.delete(ann)
    try context.save()
    #expect(try links() == ["Sue|2"])
    bob.wards.append(Ward("Kim", guardian: bob))
    try context.save()
    #expect(try links() == ["Kim|2", "Sue|2"])
  }
}
