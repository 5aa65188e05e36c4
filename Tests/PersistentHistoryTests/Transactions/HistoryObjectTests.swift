import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryObjectTests {
  @Test(
    arguments: [
      ("Trip/p12", "Trip", 12, nil), ("Trip/12", "Trip", 12, nil), ("Trip/p0", "Trip", 0, nil),
      ("99/p5", "99", 5, nil), ("Trip/p9223372036854775807", "Trip", .max, nil),
      ("Reise é/p1", "Reise é", 1, nil),
      (
        "x-coredata://1d070e6d-8f4b-4e3a-9c61-0a5b7c9d2e3f/Trip/p12", "Trip", 12,
        "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
      ),
    ] as [(String, String, Int64, String?)])
  func `an object is read in each of its forms`(
    text: String, entity: String, key: Int64, store: String?
  ) throws {
    let object = try HistoryObject(text)
    #expect(object.entityName == entity && object.primaryKey == key)
    #expect(object.storeIdentifier == store)
    #expect(object.description == "\(entity)/p\(key)")
  }

  @Test(arguments: [
    "", "Trip", "Trip/", "/p12", "Trip/p", "Trip/pp12", "Trip/P12", "Trip/p-1", "Trip/-1",
    "Trip/p+1", "Trip/+1", "Trip/p-0", "Trip/p1.0", "Trip/p1/", "Trip/p1/p2", "Trip p1",
    "Trip/ 1",
    "Trip/p9223372036854775808", "Trip/p٣", "x-coredata://", "x-coredata:///Trip/p12",
    "x-coredata://UUID/Trip", "x-coredata://UUID/Trip/t12", "x-coredata://UUID//p12",
  ])
  func `malformed objects are refused`(text: String) {
    #expect(throws: HistoryError.malformedObject(text: text)) { try HistoryObject(text) }
  }

  @Test
  func `a summary counts by entity and kind in the order of appearance`() {
    let trip = HistoryEntity(name: "Trip", number: 5)
    var summary = ChangeSummary()
    func add(_ kind: ChangeKind?, _ entity: HistoryEntity?) {
      summary.add(HistoryChange(number: 1, kind: kind, entity: entity, primaryKey: 1))
    }
    add(.insert, trip)
    add(.delete, HistoryEntity(name: nil, number: 99))
    add(.update, HistoryEntity(name: "Trip", number: nil))
    add(nil, trip)
    add(.insert, HistoryEntity(name: nil, number: 98))
    add(.insert, nil)
    add(.delete, HistoryEntity(name: nil, number: 99))
    #expect(summary.count == 7)
    #expect(summary.entries.map { $0.entity?.label } == ["Trip", "#99", "#98", nil])
    #expect(summary.entries.map(\.inserts) == [1, 0, 1, 1])
    #expect(summary.entries.map(\.updates) == [1, 0, 0, 0])
    #expect(summary.entries.map(\.deletes) == [0, 2, 0, 0])
    #expect(summary.entries.map(\.others) == [1, 0, 0, 0])
  }

  @Test
  func `a summary of more entities than any model has stays small`() {
    var summary = ChangeSummary()
    for number in 0..<5000 {
      summary.add(
        HistoryChange(
          number: 1, kind: .insert, entity: HistoryEntity(name: nil, number: Int64(number)),
          primaryKey: 1))
    }
    #expect(summary.count == 5000 && summary.entries.count <= 1001)
    #expect(summary.entries.reduce(0) { $0 + $1.inserts } == 5000)
  }
}
