import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct LineFormatTests {
  private static func encode(_ line: HistoryLine) -> String {
    var encoder = TransactionLineEncoder()
    encoder.encode(line)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }

  private static func encode(_ change: HistoryChange) -> String {
    let line = encode(.transaction(HistoryTransaction(number: 1, changes: [change])))
    let start = #"{"schema":1,"type":"transaction","transaction":1,"changes":["#
    #expect(line.hasPrefix(start) && line.hasSuffix("]}\n"))
    return String(line.dropFirst(start.count).dropLast(3))
  }

  private static let trip = HistoryEntity(
    name: "Trip", number: 5, slots: TripsModel.slots["Trip"])
  private static let item = HistoryEntity(
    name: "BucketListItem", number: 3, slots: TripsModel.slots["BucketListItem"])

  @Test
  func `a transaction has every key in order`() {
    let transaction = HistoryTransaction(
      store: "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F", number: 5,
      timestamp: StoreTimestamp(secondsSinceReferenceDate: 743_906_557.824189), author: "widget",
      bundle: "com.example.Trips", process: "Trips", context: RecordedText(malformedBytes: [0xff]),
      queryGeneration: [0x18, 0xe2, 0x2d, 0],
      extra: [
        ExtraColumn(column: "Z_OPT", value: .integer(3)),
        ExtraColumn(column: "ZNEW", value: .real(-0.0)),
      ],
      changes: [
        HistoryChange(
          number: 8, kind: .update, entity: Self.trip, primaryKey: 1,
          mask: ColumnMask([0x0c, 0]), extra: [ExtraColumn(column: "Z_ENT", value: .null)]),
        HistoryChange(number: 9, kind: .insert, entity: Self.trip, primaryKey: 2),
      ], isPartial: true)
    #expect(
      Self.encode(.transaction(transaction)) == #"""
        {"schema":1,"type":"transaction","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F",\#
        "transaction":5,"timestamp":"2024-07-29T00:42:37.824189Z","timestampRaw":743906557.824189,\#
        "author":"widget","bundle":"com.example.Trips","process":"Trips","context":{"$text":"/w=="},\#
        "queryGenerationRaw":{"$blob":"GOItAA=="},"extra":{"Z_OPT":3,"ZNEW":{"$real":"-0.0"}},\#
        "partial":true,"changes":[\#
        {"change":8,"kind":"update","entity":"Trip","pk":1,"attributes":["isFavorite","name"],\#
        "columnsRaw":"0c00","extra":{"Z_ENT":null}},\#
        {"change":9,"kind":"insert","entity":"Trip","pk":2}]}

        """#)
  }

  @Test
  func `a minimal transaction and change have only their required keys`() {
    #expect(
      Self.encode(.transaction(HistoryTransaction(number: .min)))
        == "{\"schema\":1,\"type\":\"transaction\",\"transaction\":-9223372036854775808,"
        + "\"changes\":[]}\n")
    #expect(
      Self.encode(HistoryChange(number: .max, kind: nil, entity: nil, primaryKey: nil))
        == #"{"change":9223372036854775807}"#)
  }

  @Test
  func `a gap has its bounds, and its store if known`() {
    #expect(
      Self.encode(.gap(HistoryGap(store: "A", after: 5, oldest: 9)))
        == "{\"schema\":1,\"type\":\"gap\",\"store\":\"A\",\"after\":5,\"oldest\":9}\n")
    #expect(
      Self.encode(.gap(HistoryGap(store: nil, after: 0, oldest: nil)))
        == "{\"schema\":1,\"type\":\"gap\",\"after\":0}\n")
  }

  @Test(arguments: [
    (0.0, #""timestamp":"2001-01-01T00:00:00.000000Z","timestampRaw":0.0"#),
    (-978_307_200.5, #""timestamp":"1969-12-31T23:59:59.500000Z","timestampRaw":-978307200.5"#),
    (743_906_557.0, #""timestamp":"2024-07-29T00:42:37.000000Z","timestampRaw":743906557.0"#),
    (-0.0, #""timestamp":"2001-01-01T00:00:00.000000Z","timestampRaw":{"$real":"-0.0"}"#),
    (1e300, #""timestampRaw":1e+300"#), (.infinity, #""timestampRaw":{"$real":"inf"}"#),
    (-.infinity, #""timestampRaw":{"$real":"-inf"}"#),
    (.leastNonzeroMagnitude, #""timestamp":"2001-01-01T00:00:00.000000Z","timestampRaw":5e-324"#),
  ])
  func `a time has its raw form, and a readable one if there is one`(seconds: Double, text: String)
  {
    let transaction = HistoryTransaction(
      number: 1, timestamp: StoreTimestamp(secondsSinceReferenceDate: seconds))
    #expect(
      Self.encode(.transaction(transaction))
        == "{\"schema\":1,\"type\":\"transaction\",\"transaction\":1,\(text),\"changes\":[]}\n")
  }

  // MARK: - Masks

  @Test(
    arguments: [
      // An item's trip has a key and a place in the order; then isDone and title.
      (item, [0xc0], #""attributes":["trip"],"#), (item, [0x40], #""attributes":["trip"],"#),
      (item, [0xf0], #""attributes":["trip","isDone","title"],"#),
      (item, [0], #""attributes":[],"#), (item, [0x08], ""), (item, [0xc0, 0], ""), (item, [], ""),
      // A trip's stay has a key and an entity key; its place is one attribute of two elements.
      (trip, [0xc0, 0], #""attributes":["stay"],"#),
      (trip, [0x01, 0x80], #""attributes":["place","score"],"#),
      (trip, [0x03, 0], #""attributes":["place"],"#),
      (trip, [0xff, 0xf8], nil), (HistoryEntity(name: "Gone"), [0xc0], ""),
    ] as [(HistoryEntity, [UInt8], String?)])
  func `a property with several slots is named once`(
    entity: HistoryEntity, mask: [UInt8], attributes: String?
  ) {
    let text = Self.encode(
      HistoryChange(
        number: 1, kind: .update, entity: entity, primaryKey: 1, mask: ColumnMask(mask)))
    let digits = mask.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    guard let attributes else {
      for name in ["stay", "place"] {
        #expect(text.split(separator: "\"\(name)\"").count == 2, "\(name)")
      }
      return
    }
    #expect(
      text == #"{"change":1,"kind":"update","entity":"\#(entity.name ?? "")","pk":1,\#(attributes)"#
        + #""columnsRaw":"\#(digits)"}"#)
  }

  @Test
  func `three slots of one relationship are named in every combination`() {
    let slots = EntitySlots(
      slots: [
        .init(name: "trip", role: .toOne), .init(name: "other", role: .toOne),
        .init(name: "trip", role: .entityKey), .init(name: "trip", role: .orderKey),
      ], tombstoneAttributes: [])
    let entity = HistoryEntity(name: "X", slots: slots)
    for bits: UInt8 in 0..<16 {
      let text = Self.encode(
        HistoryChange(
          number: 1, kind: .update, entity: entity, primaryKey: nil,
          mask: ColumnMask([bits << 4])))
      let hasTrip = bits & 0b1011 != 0
      let hasOther = bits & 0b0100 != 0
      let first = bits & 0b1000 != 0
      let names =
        (hasTrip && first ? ["trip"] : []) + (hasOther ? ["other"] : [])
        + (hasTrip && !first ? ["trip"] : [])
      let list = names.map { "\"\($0)\"" }.joined(separator: ",")
      #expect(text.contains("\"attributes\":[\(list)]"), "\(bits)")
    }
  }

  @Test
  func `an attribute with very many elements is named once`() {
    let slots = EntitySlots(
      slots: Array(repeating: .init(name: "wide", role: .attribute), count: 100_000),
      tombstoneAttributes: [])
    let text = Self.encode(
      HistoryChange(
        number: 1, kind: .update, entity: HistoryEntity(name: "X", slots: slots), primaryKey: 1,
        mask: ColumnMask([UInt8](repeating: 0xff, count: 12_500))))
    #expect(text.contains(#""attributes":["wide"],"#))
  }

  @Test
  func `inserts and deletes with a mask keep it, without names`() {
    for kind in [ChangeKind.insert, nil] {
      let text = Self.encode(
        HistoryChange(
          number: 1, kind: kind, entity: Self.item, primaryKey: 1, mask: ColumnMask([0xc0])))
      #expect(text.hasSuffix(#""pk":1,"columnsRaw":"c0"}"#))
    }
  }

  // MARK: - Tombstones

  /// A trip leaves identifier, isFavorite, name, score, startDate and token.
  @Test(
    arguments: [
      ([], #""tombstone":{}"#),
      (
        [
          .blob(Array(0..<16)), .integer(1), .text("Rome"), .integer(10), .real(743_906_557.824189),
          .blob([1, 2, 3]),
        ],
        #""tombstone":{"identifier":"00010203-0405-0607-0809-0A0B0C0D0E0F","isFavorite":true,"#
          + #""name":"Rome","score":10,"startDate":"2024-07-29T00:42:37.824189Z","#
          + #""token":{"$blob":"AQID"}}"#
      ),
      ([.null, .integer(0), .text("")], #""tombstone":{"isFavorite":false,"name":""}"#),
      (
        [.null, .null, .null, .real(1), .real(0), .blob([])],
        #""tombstone":{"score":1.0,"startDate":"2001-01-01T00:00:00Z","token":{"$blob":""}}"#
      ),
      // Values that do not fit, and that reading back by the type does not mistake.
      (
        [.blob([1]), .integer(2), .integer(7), .text("ten"), .integer(5), .text("x")],
        #""tombstone":{"identifier":{"$blob":"AQ=="},"isFavorite":2,"name":7,"score":"ten","#
          + #""startDate":5,"token":"x"}"#
      ),
      (
        [.null, .real(1), .malformedText([0xff]), .real(.infinity), .real(-0.0)],
        #""tombstone":{"isFavorite":1.0,"name":{"$text":"/w=="},"score":{"$real":"inf"},"#
          + #""startDate":{"$real":"-0.0"}}"#
      ),
      ([.null, .null, .null, .null, .real(1e300)], #""tombstone":{"startDate":1e+300}"#),
      (
        [.null, .null, .null, .null, .real(.leastNonzeroMagnitude)],
        #""tombstone":{"startDate":5e-324}"#
      ),
      // A text in place of a date or a UUID would be mistaken for one.
      (
        [.null, .null, .null, .null, .text("2024-07-29T00:42:37Z")],
        #""tombstone":{"startDate":"2024-07-29T00:42:37Z"},"#
          + #""tombstoneRaw":[null,null,null,null,"2024-07-29T00:42:37Z"]"#
      ),
      ([.text("no UUID")], #""tombstone":{"identifier":"no UUID"},"tombstoneRaw":["no UUID"]"#),
      // A seventh column has no name.
      (
        [.null, .null, .text("Rome"), .null, .null, .null, .integer(7)],
        #""tombstone":{"name":"Rome"},"tombstoneRaw":[null,null,"Rome",null,null,null,7]"#
      ),
    ] as [([StoredValue], String)])
  func `a tombstone is written by the types of its attributes, raw only where it must be`(
    values: [StoredValue], text: String
  ) {
    let change = HistoryChange(
      number: 9, kind: .delete, entity: Self.trip, primaryKey: 2, tombstone: values)
    #expect(
      Self.encode(change) == #"{"change":9,"kind":"delete","entity":"Trip","pk":2,\#(text)}"#)
  }

  @Test
  func `a tombstone without names or of another kind of change is raw`() {
    let values: [StoredValue] = [.null, .real(1), .blob([0xff])]
    let raw = #""tombstoneRaw":[null,1.0,{"$blob":"/w=="}]}"#
    #expect(
      Self.encode(
        HistoryChange(
          number: 9, kind: .delete, entity: HistoryEntity(name: nil, number: 99), primaryKey: 2,
          tombstone: values)) == #"{"change":9,"kind":"delete","entityRaw":99,"pk":2,"# + raw)
    #expect(
      Self.encode(
        HistoryChange(
          number: 9, kind: .update, entity: Self.trip, primaryKey: 2, tombstone: values))
        == #"{"change":9,"kind":"update","entity":"Trip","pk":2,"# + raw)
    #expect(
      Self.encode(
        HistoryChange(
          number: 9, kind: .delete, entity: HistoryEntity(name: "Gone"), primaryKey: 2))
        == #"{"change":9,"kind":"delete","entity":"Gone","pk":2}"#)
  }
}
