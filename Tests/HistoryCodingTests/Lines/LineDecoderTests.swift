import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct LineDecoderTests {
  private static let schema = HistorySchema(
    entities: TripsModel.numbers.map {
      HistoryEntity(
        name: $0.name, number: $0.number, slots: TripsModel.slots[$0.name])
    })

  private static func decode(_ text: String) throws -> HistoryLine {
    try TransactionLineDecoder(schema: schema).decode(Array(text.utf8))
  }

  /// The line of a transaction with members before, and with changes.
  private static func line(_ members: String = "", changes: String = "") -> String {
    #"{"schema":1,"type":"transaction","transaction":5\#(members),"changes":[\#(changes)]}"#
  }

  private static func transaction(_ text: String) throws -> HistoryTransaction {
    guard case .transaction(let transaction) = try decode(text) else {
      throw LineError.unknownType("not a transaction")
    }
    return transaction
  }

  private static func change(_ members: String) throws -> HistoryChange {
    try #require(transaction(line(changes: #"{"change":1\#(members)}"#)).changes.first)
  }

  @Test(
    arguments: [
      ("", nil), ("{", nil), ("nul", nil), ("{}{}", nil), (line() + "x", nil),
      (line(#","author":"a","author":"b""#), nil),
      (line(changes: #"{"change":1,"change":1}"#), nil),
      (line(#","author":"\ud800""#), nil),
      ("[]", .unexpected(key: "the line", expectation: "an object")),
      ("5", .unexpected(key: "the line", expectation: "an object")),
      ("{}", .unknownSchema(0)), (#"{"type":"transaction"}"#, .unknownSchema(0)),
      (#"{"schema":2,"type":"transaction","transaction":5,"changes":[]}"#, .unknownSchema(2)),
      (#"{"schema":"1"}"#, .unexpected(key: "schema", expectation: "an integer")),
      (#"{"schema":1.0}"#, .unexpected(key: "schema", expectation: "an integer")),
      (#"{"schema":1}"#, .unknownType("")), (#"{"schema":1,"type":"note"}"#, .unknownType("note")),
      (#"{"schema":1,"type":5}"#, .unexpected(key: "type", expectation: "a string")),
      (
        #"{"schema":1,"type":"transaction","changes":[]}"#,
        .unexpected(key: "transaction", expectation: "there, an integer")
      ),
      (
        #"{"schema":1,"type":"transaction","transaction":5.0,"changes":[]}"#,
        .unexpected(key: "transaction", expectation: "an integer")
      ),
      (
        #"{"schema":1,"type":"transaction","transaction":9223372036854775808,"changes":[]}"#,
        .unexpected(key: "transaction", expectation: "an integer")
      ),
      (
        #"{"schema":1,"type":"transaction","transaction":5}"#,
        .unexpected(key: "changes", expectation: "an array")
      ),
      (
        #"{"schema":1,"type":"transaction","transaction":5,"changes":{}}"#,
        .unexpected(key: "changes", expectation: "an array")
      ),
      (line(changes: "5"), .unexpected(key: "changes", expectation: "an array of objects")),
      (line(changes: "{}"), .unexpected(key: "change", expectation: "there, an integer")),
      (line(#","store":5"#), .unexpected(key: "store", expectation: "a string")),
      (line(#","partial":true"#), .partial(transaction: 5)),
      (line(#","partial":"true""#), .unexpected(key: "partial", expectation: "true")),
      (line(#","partial":1"#), .unexpected(key: "partial", expectation: "true")),
      (line(#","timestampRaw":"now""#), .unexpected(key: "timestampRaw", expectation: "a number")),
      (line(#","timestampRaw":null"#), .unexpected(key: "timestampRaw", expectation: "a number")),
      (
        line(#","timestampRaw":{"$real":"nan"}"#),
        .unexpected(key: "timestampRaw", expectation: "a number")
      ),
      (line(#","author":5"#), .unexpected(key: "author", expectation: "a text")),
      (line(#","author":null"#), .unexpected(key: "author", expectation: "a text")),
      (line(#","process":{"$blob":""}"#), .unexpected(key: "process", expectation: "a text")),
      (line(#","bundle":{"$text":"/w="}"#), .unexpected(key: "bundle", expectation: "a text")),
      (line(#","context":{"$text":"/x=="}"#), .unexpected(key: "context", expectation: "a text")),
      (
        line(#","context":{"$text":"YQ==","more":1}"#),
        .unexpected(key: "context", expectation: "a text")
      ),
      (
        line(#","queryGenerationRaw":"GOIt""#),
        .unexpected(key: "queryGenerationRaw", expectation: "bytes in base64")
      ),
      (
        line(#","queryGenerationRaw":{"$blob":"G OIt"}"#),
        .unexpected(key: "queryGenerationRaw", expectation: "bytes in base64")
      ),
      (line(#","extra":[]"#), .unexpected(key: "extra", expectation: "an object")),
      (line(#","extra":{"Z":true}"#), .unexpected(key: "extra.Z", expectation: "a raw value")),
      (line(#","extra":{"Z":{}}"#), .unexpected(key: "extra.Z", expectation: "a raw value")),
      (
        line(#","extra":{"Z":{"$num":"1"}}"#),
        .unexpected(key: "extra.Z", expectation: "a raw value")
      ),
      (
        line(changes: #"{"change":1,"kind":"upsert"}"#),
        .unexpected(key: "kind", expectation: "insert, update or delete")
      ),
      (line(changes: #"{"change":1,"kind":2}"#), .unexpected(key: "kind", expectation: "a string")),
      (
        line(changes: #"{"change":1,"entity":5}"#),
        .unexpected(key: "entity", expectation: "a string")
      ),
      (
        line(changes: #"{"change":1,"entityRaw":"5"}"#),
        .unexpected(key: "entityRaw", expectation: "an integer")
      ),
      (line(changes: #"{"change":1,"pk":1.5}"#), .unexpected(key: "pk", expectation: "an integer")),
      (
        line(changes: #"{"change":1,"columnsRaw":"0"}"#),
        .unexpected(key: "columnsRaw", expectation: "pairs of hexadecimal digits")
      ),
      (
        line(changes: #"{"change":1,"columnsRaw":"0g"}"#),
        .unexpected(key: "columnsRaw", expectation: "pairs of hexadecimal digits")
      ),
      (
        line(changes: #"{"change":1,"tombstoneRaw":{}}"#),
        .unexpected(key: "tombstoneRaw", expectation: "an array")
      ),
      (
        line(changes: #"{"change":1,"tombstoneRaw":[true]}"#),
        .unexpected(key: "tombstoneRaw", expectation: "an array of raw values")
      ),
      (
        line(changes: #"{"change":1,"tombstone":[]}"#),
        .unexpected(key: "tombstone", expectation: "an object")
      ),
      (
        line(changes: #"{"change":1,"entity":"Gone","tombstone":{"name":"x"}}"#),
        .unknownEntity(name: "Gone")
      ),
      (
        line(changes: #"{"change":1,"entityRaw":99,"tombstone":{"name":"x"}}"#),
        .unknownEntity(name: "#99")
      ),
      (line(changes: #"{"change":1,"tombstone":{"name":"x"}}"#), .unknownEntity(name: "")),
      (
        line(changes: #"{"change":1,"entity":"Trip","tombstone":{"cost":1}}"#),
        .unexpected(key: "tombstone.cost", expectation: "a preserved attribute of Trip")
      ),
      (
        line(changes: #"{"change":1,"entity":"Trip","tombstone":{"startDate":"yesterday"}}"#),
        .unexpected(key: "tombstone.startDate", expectation: "a preserved attribute of Trip")
      ),
      (
        line(changes: #"{"change":1,"entity":"Trip","tombstone":{"identifier":"1D070E6D"}}"#),
        .unexpected(key: "tombstone.identifier", expectation: "a preserved attribute of Trip")
      ),
      (
        line(changes: #"{"change":1,"entity":"Trip","tombstone":{"name":true}}"#),
        .unexpected(key: "tombstone.name", expectation: "a preserved attribute of Trip")
      ),
      (
        #"{"schema":1,"type":"gap"}"#, .unexpected(key: "after", expectation: "there, an integer")
      ),
      (
        #"{"schema":1,"type":"gap","after":5,"oldest":"9"}"#,
        .unexpected(key: "oldest", expectation: "an integer")
      ),
    ] as [(String, LineError?)])
  func `a line without a required part or with a malformed one is refused`(
    text: String, error: LineError?
  ) throws {
    let thrown = try #require(throws: LineError.self) { try Self.decode(text) }
    if let error {
      #expect(thrown == error)
    } else if case .malformed = thrown {
    } else {
      Issue.record("another error: \(thrown)")
    }
    #expect(!thrown.message.isEmpty && !thrown.remedy.isEmpty && !thrown.message.hasSuffix("."))
  }

  @Test
  func `gaps are read`() throws {
    #expect(
      try Self.decode(#"{"schema":1,"type":"gap","store":"A","after":5,"oldest":9}"#)
        == .gap(HistoryGap(store: "A", after: 5, oldest: 9)))
    #expect(
      try Self.decode(#"{"type":"gap","after":-1,"schema":1,"new":[]}"#)
        == .gap(HistoryGap(store: nil, after: -1, oldest: nil)))
  }

  @Test
  func `keys in any order, unknown keys, blanks and a line end are accepted`() throws {
    let transaction = try Self.transaction(
      " {\"changes\": [{\"pk\": 9223372036854775807, \"change\": -9223372036854775808, \"new\": {}}],"
        + "\"partial\": false, \"transaction\": 9223372036854775807, \"type\": \"transaction\","
        + "\"later\": [1], \"schema\": 1}\r\n")
    #expect(transaction.number == .max && !transaction.isPartial)
    #expect(transaction.changes.map(\.number) == [.min])
    #expect(transaction.changes.map(\.primaryKey) == [.max])
  }

  @Test(arguments: [
    ("743906557.824189", 743_906_557.824189), ("743906557", 743_906_557.0), ("0.0", 0.0),
    (#"{"$real":"-0.0"}"#, -0.0), (#"{"$real":"inf"}"#, .infinity), ("1e+300", 1e300),
    ("5e-324", .leastNonzeroMagnitude), ("-63113904000.5", -63_113_904_000.5),
  ])
  func `times are read back bit for bit`(json: String, seconds: Double) throws {
    let timestamp = try Self.transaction(Self.line(#","timestampRaw":\#(json)"#)).timestamp
    #expect(timestamp?.secondsSinceReferenceDate.bitPattern == seconds.bitPattern)
  }

  @Test
  func `only the raw time is read`() throws {
    let line = Self.line(#","timestamp":"2024-07-29T00:42:37.824189Z""#)
    #expect(try Self.transaction(line).timestamp == nil)
  }

  @Test
  func `texts, bytes and extra columns are read back`() throws {
    let transaction = try Self.transaction(
      Self.line(
        #","author":{"$text":"/w=="},"bundle":"","process":{"$text":"YQBi"},"#
          + #""context":{"$text":"YXBw"},"queryGenerationRaw":{"$blob":""},"#
          + "\"extra\":{\"Z\":null,\"\u{e9}\":1,\"e\u{301}\":1.0,\"T\":{\"$text\":\"YXBw\"}}"))
    #expect(transaction.author?.storedValue == .malformedText([0xff]))
    #expect(transaction.bundle?.storedValue == .text(""))
    #expect(transaction.process?.storedValue == .malformedText([0x61, 0, 0x62]))
    // Clean text is clean text, however it was wrapped.
    #expect(transaction.context?.storedValue == .text("app"))
    #expect(transaction.queryGeneration == [])
    #expect(transaction.extra.map(\.value) == [.null, .integer(1), .real(1), .text("app")])
  }

  @Test
  func `entities come from the schema, or from the line itself`() throws {
    let trip = try Self.change(#","entity":"Trip","pk":1"#).entity
    #expect(trip?.number == 5 && trip?.slots != nil)
    let gone = try Self.change(#","entity":"Gone","pk":1"#).entity
    #expect(gone?.name == "Gone" && gone?.number == nil && gone?.slots == nil)
    let number = try Self.change(#","entityRaw":99,"pk":1"#).entity
    #expect(number?.name == nil && number?.number == 99)
    #expect(try Self.change("").entity == nil)
    #expect(try Self.change(#","columnsRaw":"0C00ff""#).mask?.bytes == [0x0c, 0, 0xff])
    #expect(try Self.change(#","columnsRaw":"""#).mask?.bytes == [])
  }

  @Test(
    arguments: [
      (#"{}"#, []), (#"{"name":"Rome"}"#, [.null, .null, .text("Rome")]),
      (
        #"{"token":{"$blob":"AQID"},"isFavorite":false}"#,
        [
          .null, .integer(0), .null, .null, .null, .blob([1, 2, 3]),
        ]
      ),
      (#"{"identifier":"00010203-0405-0607-0809-0a0B0C0D0E0F"}"#, [.blob(Array(0..<16))]),
      (
        #"{"startDate":"2024-07-29T00:42:37.824189Z"}"#,
        [
          .null, .null, .null, .null, .real(743_906_557.824189),
        ]
      ),
      (
        #"{"score":9223372036854775807,"isFavorite":5}"#,
        [
          .null, .integer(5), .null, .integer(.max),
        ]
      ),
      (#"{"score":1.0}"#, [.null, .null, .null, .real(1)]),
      (
        #"{"identifier":{"$text":"/w=="},"name":{"$blob":""}}"#,
        [
          .malformedText([0xff]), .null, .blob([]),
        ]
      ),
      (#"{"name":null}"#, []),
    ] as [(String, [StoredValue])])
  func `tombstones are read back into their slots`(json: String, values: [StoredValue]) throws {
    let change = try Self.change(
      #","kind":"delete","entity":"Trip","pk":1,"tombstone":\#(json)"#)
    #expect(change.tombstone == values)
  }

  @Test
  func `a raw tombstone takes precedence over the readable one`() throws {
    let change = try Self.change(
      #","kind":"delete","entity":"Trip","tombstone":{"name":"Rome"},"tombstoneRaw":[5,"x"]"#)
    #expect(change.tombstone == [.integer(5), .text("x")])
  }

  @Test
  func `a line with changed bytes is read or refused`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let line = try #require(StoreLines(path: path).lines.dropFirst(3).first)
    let decoder = TransactionLineDecoder(schema: Self.schema)
    #expect(throws: Never.self) { try decoder.decode(line) }
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<3000 {
      var bytes = line
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0x20...0x7e, using: &generator)
      }
      _ = try? decoder.decode(bytes)
    }
  }
}
