import OpenSwiftData
import TestSupport
import Testing

/// An app of parcels with enumerations of every kind.
enum ParcelApp {
  enum Status: Codable { case ordered, packed, `in`, delivered }
  enum Only: Codable, Equatable { case value }
  enum Size: Int, Codable { case small = 1, large = 9 }

  enum Payment: Codable, Equatable {
    case cash
    case card(number: String, expires: Int)
    case voucher(String)
  }

  struct Label: Codable, Equatable {
    var size: Size
    var status: Status
    var former: Status?
    var text: String
  }

  /// An enumeration that encodes itself.
  enum Custom: Codable, Equatable {
    case low, high

    init(from decoder: any Decoder) throws {
      self = try decoder.singleValueContainer().decode(Bool.self) ? .high : .low
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self == .high)
    }
  }

  @Model
  final class Parcel {
    @Attribute(.preserveValueOnDeletion) var status: Status
    var former: Status?
    var initial: Status = Status.ordered
    var only: Only
    var size: Size
    var maybeSize: Size?
    var payment: Payment
    var maybePayment: Payment?
    var label: Label
    var custom: Custom
    var statuses: [Status]
    @Attribute(.codable) var kept: Status = Status.packed

    init(status: Status) {
      self.status = status
      only = .value
      size = .large
      payment = .card(number: "4711", expires: 2030)
      label = Label(size: .small, status: .packed, former: .in, text: "Fragile")
      custom = .high
      statuses = [.ordered, .in]
    }
  }
}

/// Models in which a status is JSON, and then an enumeration.
enum OrderV1 {
  @Model
  final class Order {
    var name: String
    var status: Data

    init(_ name: String, _ status: String) {
      self.name = name
      self.status = Data("{\"\(status)\":{}}".utf8)
    }
  }
}

enum OrderV2 {
  @Model
  final class Order {
    var name: String
    @Attribute(originalName: "status") var state: ParcelApp.Status

    init(_ name: String) {
      self.name = name
      state = .ordered
    }
  }
}

@Suite(.bounded) struct EnumerationTests {
  typealias Parcel = ParcelApp.Parcel

  private let folder: TemporaryFolder
  private var path: String { folder.file("P.store") }

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Parcel.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  @Test func `enumerations of every kind are read back`() throws {
    let context = try open()
    context.insert(Parcel(status: .in))
    try context.save()
    func parcel() throws -> Parcel {
      try #require(try open().fetch(FetchDescriptor<Parcel>()).first)
    }
    let other = try open()
    let parcel1 = try #require(try other.fetch(FetchDescriptor<Parcel>()).first)
    #expect(parcel1.status == .in && parcel1.former == nil && parcel1.initial == .ordered)
    #expect(parcel1.only == .value)
    #expect(parcel1.size == .large && parcel1.maybeSize == nil)
    #expect(parcel1.payment == .card(number: "4711", expires: 2030))
    #expect(parcel1.maybePayment == nil)
    #expect(
      parcel1.label
        == ParcelApp.Label(size: .small, status: .packed, former: .in, text: "Fragile"))
    #expect(parcel1.kept == .packed)
    #expect(
      try StoreQuery(path: path).lines("SELECT CAST(ZKEPT AS TEXT) FROM ZPARCEL")
        == [#"{"packed":{}}"#])
    #expect(parcel1.custom == .high && parcel1.statuses == [.ordered, .in])
    parcel1.status = .delivered
    parcel1.former = .packed
    parcel1.maybePayment = .cash
    parcel1.label.status = .ordered
    try other.save()
    #expect(try parcel().status == .delivered)
    #expect(try parcel().former == .packed)
    #expect(try parcel().maybePayment == .cash)
    #expect(try parcel().label.status == .ordered)
    parcel1.former = nil
    try other.save()
    #expect(try parcel().former == nil)
  }

  @Test func `cases have columns`() throws {
    let context = try open()
    context.insert(Parcel(status: .in))
    try context.save()
    let columns = try StoreQuery(path: path).lines(
      "SELECT name FROM pragma_table_info('ZPARCEL') WHERE type = 'VARCHAR' ORDER BY cid")
    #expect(
      columns == [
        "ZORDERED", "ZPACKED", "ZIN", "ZDELIVERED", "ZORDERED1", "ZPACKED1", "ZIN1",
        "ZDELIVERED1", "ZVALUE", "ZORDERED2", "ZPACKED2", "ZIN2", "ZDELIVERED2",
      ])
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT ZORDERED2, ZPACKED2, ZIN2, ZDELIVERED2, ZORDERED, ZVALUE, ZORDERED1 FROM ZPARCEL")
        == ["||in|||value|ordered"])
  }

  @Test func `predicates compare cases`() throws {
    let context = try open()
    for status in [ParcelApp.Status.in, .packed, .packed, .delivered] {
      let parcel = Parcel(status: status)
      parcel.former = status == .packed ? .ordered : nil
      context.insert(parcel)
    }
    let packed = ParcelApp.Status.packed
    let predicates: [(Predicate<Parcel>, Int)] = [
      (#Predicate { $0.status == packed }, 2), (#Predicate { $0.status != packed }, 2),
      (#Predicate { $0.former == nil }, 2), (#Predicate { $0.former != nil }, 2),
      (#Predicate { $0.former == packed }, 0),
    ]
    for (predicate, count) in predicates {
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == count)
    }
    try context.save()
    let other = try open()
    for (predicate, count) in predicates {
      #expect(try other.fetchCount(FetchDescriptor(predicate: predicate)) == count)
    }
  }

  @Test func `history names the attribute once`() throws {
    let context = try open()
    let parcel = Parcel(status: .in)
    context.insert(parcel)
    try context.save()
    parcel.status = .delivered
    try context.save()
    context.delete(parcel)
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 3)
    for case .update(let update as DefaultHistoryUpdate<Parcel>) in history[1].changes {
      #expect(update.updatedAttributes.count == 1)
      #expect(update.updatedAttributes.contains(\.status))
    }
    for case .delete(let delete as DefaultHistoryDelete<Parcel>) in history[2].changes {
      #expect(delete.tombstone[\.status] as? ParcelApp.Status == .delivered)
    }
  }

  @Test func `a damaged case is an error`() throws {
    let context = try open()
    context.insert(Parcel(status: .in))
    try context.save()
    for damage in [
      "ZIN2 = 'out'", "ZIN2 = 'in', ZPACKED2 = 'packed'", "ZIN2 = NULL, ZPACKED2 = NULL",
    ] {
      try StoreQuery(path: path).run("UPDATE ZPARCEL SET \(damage)")
      #expect(throws: SwiftDataError.storeFailure) {
        try open().fetch(FetchDescriptor<Parcel>())
      }
    }
  }

  @Test func `the schema describes enumerations`() throws {
    let entity = try #require(Schema([Parcel.self]).entitiesByName["Parcel"])
    let status = try #require(entity.attributesByName["status"] as? Schema.CompositeAttribute)
    #expect(status.properties.map(\.name) == ["ordered", "packed", "in", "delivered"])
    #expect(!(entity.attributesByName["payment"] is Schema.CompositeAttribute))
  }

  @Test func `data does not become an enumeration`() throws {
    let store = try MigratedStore()
    try store.with([OrderV1.Order.self]) { context in
      context.insert(OrderV1.Order("A", "ordered"))
      try context.save()
    }
    let error = try store.refusal([OrderV2.Order.self]) as? SwiftDataError
    let text = error?.explanation ?? ""
    #expect(text.contains("was Data and is composite"), "\(text)")
  }
}
