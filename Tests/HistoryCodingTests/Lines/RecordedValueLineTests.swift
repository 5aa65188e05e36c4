import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Recorded values in lines and in other envelopes.
@Suite(.bounded) struct RecordedValueLineTests {
  private let trips: RecordedTrips

  init() throws { trips = try RecordedTrips() }

  /// What an encoder writes of the store, with recorded values or without.
  private func text(_ encoder: some HistoryEncoder, readsValues: Bool = true) throws -> String {
    try StoreFile(path: trips.path).read { snapshot in
      var query = HistoryQuery()
      if readsValues { query.recordedValues = try RecordedValues(beside: snapshot) }
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var encoder = encoder
      while let transaction = try reader.nextTransaction() {
        encoder.begin(transaction)
        while try !encoder.appendChanges(of: reader, byteLimit: 1) {}
        encoder.end()
      }
      return String(decoding: encoder.prologue, as: UTF8.self)
        + encoder.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  @Test func `recorded values follow the columns`() throws {
    let lines = lines(try text(TransactionLineEncoder()))
    #expect(
      lines[3].contains(
        #","values":{"name":{"old":"Roma","new":"Rom"},"score":{"old":1,"new":9}}}"#))
    let expected = [
      #""values":{"cost":{"old":null,"new":0.0},"identifier":{"type":"uuid","#,
      #""old":"11111111-1111-1111-1111-111111111111","new":"22222222-2222-2222-2222-"#,
      #"222222222222"},"isFavorite":{"type":"boolean","old":false,"new":true},"#,
      #""name":{"old":"Rome","new":"Roma"},"place.latitude":{"old":null,"new":41.9},"#,
      #""place.longitude":{"old":null,"new":12.5},"startDate":{"type":"date","#,
      #""old":"2024-07-18T12:53:20Z","new":"2024-07-18T12:53:20.5Z"},"#,
      #""stay":{"old":null,"new":{"$object":"LivingAccommodation/p1"}},"#,
      #""token":{"old":null,"new":{"$blob":"AQL/"}}}}"#,
    ]
    #expect(lines[1].contains(expected.joined()))
    #expect(
      lines[1].contains(#""values":{"trip":{"old":null,"new":{"$object":"Trip/p1"}}}}]}"#))
    #expect(lines[5].contains(#""token":{"old":{"$blob":"AQL/"},"new":{"$sha256":""#))
    #expect(lines[5].contains(#"","length":70000}}"#))
  }

  @Test func `lines without recorded values have no key for them`() throws {
    let with = lines(try text(TransactionLineEncoder()))
    let without = lines(try text(TransactionLineEncoder(), readsValues: false))
    for index in [0, 2, 4] { #expect(with[index] == without[index]) }
    #expect(!without.joined().contains("values"))
    // The text of a change with values is that of one without, and the values.
    let shorter = with[3].replacing(#/,"values":\{.*\}\}(?=\})/#, with: "")
    #expect(shorter == without[3])
  }

  @Test func `lines with recorded values are read back bit for bit`() throws {
    let schema = try StoreFile(path: trips.path).read { try HistorySchema($0) }
    let decoder = TransactionLineDecoder(schema: schema)
    let unnamed = TransactionLineDecoder(entities: LineEntities())
    let original = try StoreFile(path: trips.path).read { snapshot in
      var query = HistoryQuery()
      query.recordedValues = try RecordedValues(beside: snapshot)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var transactions: [HistoryTransaction] = []
      while let transaction = try reader.next() { transactions.append(transaction) }
      return transactions
    }
    let texts = lines(try text(TransactionLineEncoder()))
    for (line, transaction) in zip(texts, original) {
      #expect(try decoder.decode(Array(line.utf8)) == .transaction(transaction))
      guard case .transaction(let read) = try unnamed.decode(Array(line.utf8)) else {
        Issue.record("\(line)")
        continue
      }
      #expect(read.changes.map(\.values) == transaction.changes.map(\.values))
      var encoder = TransactionLineEncoder()
      encoder.encode(.transaction(read))
      #expect(String(decoding: encoder.bytes, as: UTF8.self) == line + "\n")
    }
    #expect(texts.count == original.count)
  }

  /// Values that JSON or their kind could take for others.
  private static let contents: [RecordedContent] = [
    .value(.null), .value(.integer(0)), .value(.integer(1)), .value(.integer(.min)),
    .value(.real(1)), .value(.real(-0.0)), .value(.real(.infinity)), .value(.real(743_000_000.1)),
    .value(.real(1e300)), .value(.text("")), .value(.text("Trip/p1")),
    .value(.text("2024-07-18T12:53:20Z")),
    .value(.text("11111111-1111-1111-1111-111111111111")), .value(.malformedText([0xff, 0])),
    .value(.blob([])), .value(.blob([UInt8](0..<16))), .value(.text("\u{1b}\u{202e}\"\\")),
    .digest([UInt8](repeating: 0xab, count: 32), byteCount: 70_000),
  ]

  @Test(arguments: RecordedValue.Kind.allCases)
  func `every value of every kind is read back`(_ kind: RecordedValue.Kind) throws {
    let decoder = TransactionLineDecoder(entities: LineEntities())
    for old in Self.contents {
      for new in Self.contents {
        let change = HistoryChange(
          number: 1, kind: .update, entity: HistoryEntity(name: "Trip"), primaryKey: 1,
          values: [RecordedValue(name: "x", kind: kind, old: old, new: new)])
        var encoder = TransactionLineEncoder()
        encoder.encode(.transaction(HistoryTransaction(number: 1, changes: [change])))
        guard case .transaction(let read) = try decoder.decode(Array(encoder.bytes)) else {
          Issue.record("no transaction")
          continue
        }
        #expect(read.changes[0].values == change.values)
      }
    }
  }

  @Test(arguments: [
    #"[]"#, #"{"x":1}"#, #"{"x":{}}"#, #"{"x":{"type":"text"}}"#, #"{"x":{"old":null,"new":null}}"#,
    #"{"x":{"type":"strange","old":1,"new":2}}"#, #"{"x":{"type":"date","old":"no","new":null}}"#,
    #"{"x":{"old":{"$sha256":"00","length":1},"new":1}}"#, #"{"x":{"old":[1],"new":1}}"#,
    #"{"x":{"type":"text","old":{"$sha256":"zz","length":1},"new":1}}"#,
  ])
  func `invalid values are refused`(_ values: String) {
    let line =
      #"{"schema":1,"type":"transaction","transaction":1,"changes":[{"change":1,"kind":"update","#
      + #""entity":"Trip","pk":1,"values":"# + values + "}]}"
    #expect(throws: LineError.self) {
      try TransactionLineDecoder(entities: LineEntities()).decode(Array(line.utf8))
    }
  }

  @Test func `a change record has recorded values`() throws {
    let lines = lines(try text(try ChangeRecordEncoder()))
    #expect(
      lines[7].hasSuffix(
        #","values":{"name":{"old":"Roma","new":"Rom"},"score":{"old":1,"new":9}}}"#))
    let fields = self.lines(try text(try ChangeRecordEncoder(fields: ["object", "values"])))
    #expect(
      fields[7]
        == #"{"object":"Trip/p1","values":{"name":{"old":"Roma","new":"Rom"},"score":{"old":1,"new":9}}}"#
    )
  }

  @Test func `a Debezium event has recorded values before and after`() throws {
    let lines = lines(try text(try DebeziumEncoder()))
    #expect(
      lines[7].hasPrefix(
        #"{"before":{"Z_PK":1,"name":"Roma","score":1},"after":{"Z_PK":1,"name":"Rom","score":9},"#)
    )
    #expect(lines[7].contains(#""values":{"name":{"old":"Roma","new":"Rom"},"#))
    // Without recorded values it is as it was.
    #expect(lines[6].hasPrefix(#"{"before":null,"after":{"Z_PK":2},"#))
  }

  @Test func `a table has recorded values in its last column`() throws {
    let usual = self.lines(try text(try CSVEncoder()))
    #expect(usual[0].hasSuffix(",transactionExtra,values"))
    #expect(
      usual[8].hasSuffix(
        #","{""name"":{""old"":""Roma"",""new"":""Rom""},""score"":{""old"":1,""new"":9}}""#))
    #expect(usual[7].hasSuffix(",0400,,,,,,"))
    let lines = self.lines(try text(try CSVEncoder(fields: ["object", "values"])))
    #expect(lines[0] == "object,values")
    #expect(
      lines[8]
        == #"Trip/p1,"{""name"":{""old"":""Roma"",""new"":""Rom""},""score"":{""old"":1,""new"":9}}""#
    )
    #expect(lines[7] == "Trip/p2,")
  }

  @Test func `a line of selected fields can have recorded values`() throws {
    let lines = lines(try text(try TransactionLineEncoder(fields: ["values"])))
    #expect(
      lines[3].hasSuffix(
        #""changes":[{"values":{"name":{"old":"Roma","new":"Rom"},"score":{"old":1,"new":9}}},{}]}"#
      ))
  }
}
