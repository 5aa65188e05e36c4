import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct NetChangeLineTests {
  private static let trip = HistoryEntity(
    name: "Trip", number: 5, slots: TripsModel.slots["Trip"])

  private static func encode(
    path: String? = nil, _ body: (inout NetChangeLineEncoder) -> Void
  ) -> String {
    var encoder = NetChangeLineEncoder(path: path)
    body(&encoder)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }

  private static func net(_ changes: [HistoryChange]) throws -> NetChange {
    var net = try #require(changes.first.flatMap { NetChange($0, in: 3) })
    for change in changes.dropFirst() { net.fold(change, in: 9) }
    return net
  }

  @Test
  func `unnamed objects, unreadable updates and empty effects have lines`() throws {
    let unnamed = HistoryEntity(name: nil, number: 99)
    let update = HistoryChange(number: 1, kind: .update, entity: unnamed, primaryKey: -3)
    let net = try Self.net([update])
    #expect(
      Self.encode { $0.encode(net) }
        == #"{"schema":1,"type":"netChange","entityRaw":99,"pk":-3,"kind":"update","#
        + #""firstTransaction":3,"lastTransaction":3,"changeCount":1}"# + "\n")
    let nothing = try Self.net([
      HistoryChange(number: 1, kind: .insert, entity: unnamed, primaryKey: 1),
      HistoryChange(number: 2, kind: .delete, entity: unnamed, primaryKey: 1),
    ])
    #expect(Self.encode { $0.encode(nothing) } == "")
  }

  @Test
  func `attributes are named only if all updates are readable`() throws {
    func update(_ mask: [UInt8]) -> HistoryChange {
      HistoryChange(
        number: 1, kind: .update, entity: Self.trip, primaryKey: 1, mask: ColumnMask(mask))
    }
    let known = try Self.net([update([0x0c, 0]), update([0x08, 0x80])])
    #expect(
      Self.encode { $0.encode(known) }.contains(
        #""kind":"update","attributes":["isFavorite","name","score"],"columnsRaw":"0c80","#))
    let mixed = try Self.net([update([0x0c]), update([0x08, 0x80])])
    #expect(
      Self.encode { $0.encode(mixed) }.contains(#""kind":"update","columnsRaw":"0c80","first"#))
  }

  @Test
  func `a line names its store if there are several`() throws {
    let net = try Self.net([
      HistoryChange(number: 1, kind: .insert, entity: Self.trip, primaryKey: 1)
    ])
    #expect(
      Self.encode(path: "a \"b\".store") { $0.encode(net) }
        == #"{"schema":1,"type":"netChange","path":"a \"b\".store","entity":"Trip","pk":1,"#
        + #""object":"Trip/p1","kind":"insert","firstTransaction":3,"lastTransaction":3,"#
        + #""changeCount":1}"# + "\n")
  }

  @Test
  func `every line fits the published schema`() async throws {
    guard try await SchemaTool.isPossible() else { return }
    let folder = try TemporaryFolder()
    var stores = [try SampleStore.write(to: folder.file("trips.store"))]
    var hostile = HostileHistory(seed: 3)
    try hostile.write(to: folder.file("hostile.store"), hasPlainStrings: false)
    stores.append(folder.file("hostile.store"))
    for source in RealStores.paths { stores.append(try folder.copy(store: source)) }
    var lines: [UInt8] = []
    for path in stores {
      let store = try StoreFile(path: path)
      guard try store.read({ $0.layout.history != nil }) else { continue }
      try store.read { snapshot in
        var encoder = NetChangeLineEncoder()
        let newest = try snapshot.newestTransaction()?.number ?? 0
        for after in [0, newest / 2] {
          let net = try NetChangeReader(snapshot: snapshot, query: HistoryQuery(after: after))
          while let change = try net.next() { encoder.encode(change) }
        }
        lines += encoder.bytes
      }
    }
    let result = try await #require(Tool("python3")).run(
      [SchemaTool.path], input: String(decoding: lines, as: UTF8.self))
    #expect(result.status == 0, "\(result.errors)")
  }
}
