import OpenSwiftData
import TestSupport
import Testing

private enum Member {
  enum Plan: String, Codable { case free, paid }
  enum Rank: Int, Codable { case low = 1, high = 9 }
  enum Side: Codable { case left, right }

  @Model
  final class Person {
    @Attribute(.unique) var email: String
    @Attribute(.unique) var handle: String
    var age: Int
    init(_ email: String, _ handle: String, age: Int = 0) {
      self.email = email
      self.handle = handle
      self.age = age
    }
  }

  @Model
  final class Seat {
    #Index<Seat>([\.plan], [\.rank, \.row], [\.side], [\.upgrade])
    #Unique<Seat>([\.plan, \.row], [\.side, \.rank], [\.upgrade])
    var row: Int
    var plan: Plan
    var rank: Rank
    var side: Side
    var upgrade: Plan?
    init(row: Int, plan: Plan, rank: Rank, side: Side, upgrade: Plan? = nil) {
      self.row = row
      self.plan = plan
      self.rank = rank
      self.side = side
      self.upgrade = upgrade
    }
  }

  @Model
  final class Flag {
    @Attribute(.unique) var side: Side?
    @Attribute(.unique) var kind: Plan?
    var note: String
    init(_ side: Side?, _ kind: Plan?, note: String) {
      self.side = side
      self.kind = kind
      self.note = note
    }
  }
}

/// Unique values that lead to two objects at once, and unique values of enumerations.
@Suite(.bounded) struct CollidingModelTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private var path: String { folder.file("Members.store") }

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Member.Person.self, Member.Seat.self, Member.Flag.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("Members.store"))))
  }

  private func lines(_ sql: String) throws -> [String] { try StoreQuery(path: path).lines(sql) }

  @Test
  func `a new model with the values of two others is an error that names both`() throws {
    let context = ModelContext(container)
    let (ann, bob) = (Member.Person("a@x", "ann"), Member.Person("b@x", "bob"))
    context.insert(ann)
    context.insert(bob)
    try context.save()
    let both = Member.Person("a@x", "bob", age: 7)
    context.insert(both)
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    for part in ["Person", "email \"a@x\"", "handle \"bob\"", "Person/p1", "Person/p2"] {
      #expect(error.explanation.contains(part), "\(error)")
    }
    #expect(error.identifiers == [ann.persistentModelID, bob.persistentModelID])
    #expect(try lines("SELECT count(*) FROM ATRANSACTION") == ["1"])
    // The context goes on.
    both.handle = "both"
    try context.save()
    #expect(
      try lines("SELECT ZEMAIL, ZHANDLE, ZAGE FROM ZPERSON ORDER BY 1") == [
        "a@x|both|7", "b@x|bob|0",
      ])
    #expect(both == ann)
  }

  @Test func `opening a store with indexes on enumerations again changes nothing`()
    throws
  {
    let before = try StoreQuery(path: path).contents()
    _ = try ModelContainer(
      for: container.schema,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    #expect(try StoreQuery(path: path).contents() == before)
    #expect(try lines("SELECT count(*) FROM ATRANSACTION") == ["0"])
  }

  @Test
  func `two new models joined by a third are an error until one is deleted`() throws {
    let context = ModelContext(container)
    let people = [
      Member.Person("a@x", "ann"), Member.Person("b@x", "bob"), Member.Person("a@x", "bob"),
    ]
    for person in people { context.insert(person) }
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error.explanation.contains("a new Person"), "\(error)")
    context.delete(people[1])
    try context.save()
    #expect(try lines("SELECT ZEMAIL, ZHANDLE FROM ZPERSON") == ["a@x|bob"])
  }

  private func seat(
    _ row: Int, _ plan: Member.Plan, _ rank: Member.Rank, _ side: Member.Side
  )
    -> Member.Seat
  {
    Member.Seat(row: row, plan: plan, rank: rank, side: side)
  }

  @Test func `indexes on enumerations exist and are used`() throws {
    let context = ModelContext(container)
    context.insert(seat(1, .free, .low, .left))
    context.insert(seat(2, .paid, .high, .right))
    try context.save()
    let plans = try lines(
      "EXPLAIN QUERY PLAN SELECT * FROM ZSEAT WHERE ifnull(ZLEFT, ZRIGHT) = 'left'")
    #expect(plans.contains { $0.contains("USING INDEX") }, "\(plans)")
    #expect(
      try lines("EXPLAIN QUERY PLAN SELECT * FROM ZSEAT WHERE ZPLAN = 'free'")
        .contains { $0.contains("USING INDEX") })
    let left = Member.Side.left
    #expect(
      try context.fetch(FetchDescriptor<Member.Seat>(predicate: #Predicate { $0.side == left }))
        .map(\.row) == [1])
  }

  @Test func `a new model with the same enumerations updates the stored one`() throws {
    let context = ModelContext(container)
    context.insert(seat(1, .free, .low, .left))
    context.insert(seat(2, .free, .high, .left))
    try context.save()
    let other = ModelContext(container)
    other.insert(seat(1, .free, .low, .left))
    // Only the plan differs in row 2, and only row and plan are unique together.
    other.insert(seat(3, .paid, .high, .left))
    try other.save()
    #expect(
      try lines("SELECT ZROW, ZPLAN, ZRANK, ZLEFT FROM ZSEAT ORDER BY Z_PK") == [
        "1|free|1|left", "3|paid|9|left",
      ])
    let flags = [
      Member.Flag(.left, nil, note: "a"), Member.Flag(.right, .free, note: "b"),
      Member.Flag(nil, .paid, note: "c"), Member.Flag(nil, nil, note: "d"),
      Member.Flag(nil, nil, note: "e"),
    ]
    for flag in flags { other.insert(flag) }
    try other.save()
    let again = ModelContext(container)
    again.insert(Member.Flag(.right, nil, note: "b2"))
    again.insert(Member.Flag(nil, .paid, note: "c2"))
    try again.save()
    #expect(
      try lines("SELECT ZNOTE, ZLEFT, ZRIGHT, ZKIND FROM ZFLAG ORDER BY Z_PK") == [
        "a|left||", "b2||right|", "c2|||paid", "d|||", "e|||",
      ])
  }

  @Test func `enumerations that are unique can be exchanged in one save`() throws {
    let context = ModelContext(container)
    let (one, two) = (Member.Flag(.left, .free, note: "1"), Member.Flag(.right, .paid, note: "2"))
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.side, two.side) = (.right, .left)
    (one.kind, two.kind) = (.paid, .free)
    try context.save()
    #expect(
      try lines("SELECT ZNOTE, ZLEFT, ZRIGHT, ZKIND FROM ZFLAG ORDER BY Z_PK") == [
        "1||right|paid", "2|left||free",
      ])
    two.side = .right
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    context.rollback()
    #expect(try lines("PRAGMA integrity_check") == ["ok"])
  }
}
