import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct EnvelopeFormatTests {
  private static let shared = #"""
    {"schema":1,"type":"change","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","transaction":5,\#
    "timestamp":"2024-07-29T00:42:37.824189Z","timestampRaw":743906557.824189,"author":"widget",\#
    "bundle":"com.example.Trips","process":"Trips",
    """#

  private static let records = [
    shared + #""change":8,"kind":"insert","entity":"Trip","pk":1,"object":"Trip/p1"}"#,
    shared + #""change":9,"kind":"update","entity":"Trip","pk":1,"object":"Trip/p1","#
      + #""attributes":["isFavorite","name"],"columnsRaw":"0c00"}"#,
    shared + #""change":10,"kind":"delete","entity":"Trip","pk":2,"object":"Trip/p2","#
      + #""tombstone":{"isFavorite":true,"name":"Rome"}}"#,
  ]

  @Test
  func `a change record has every key in order`() throws {
    #expect(
      try Envelopes.text(.changes, [Envelopes.transaction])
        == Self.records.map { $0 + "\n" }.joined())
  }

  @Test
  func `a change record of hostile values is JSON`() throws {
    let shared = #"""
      {"schema":1,"type":"change","transaction":-3,"timestampRaw":{"$real":"inf"},\#
      "author":{"$text":"/w=="},"bundle":"","process":"=1+1, \"a\"\r\n","context":"a\u0000b",\#
      "transactionExtra":{"Z_OPT":3},
      """#
    let text = try Envelopes.text(.changes, [Envelopes.hostile])
    #expect(
      text.split(separator: "\n")
        == [
          shared + #""change":-9223372036854775808,"tombstoneRaw":[{"$real":"-0.0"}],"#
            + #""extra":{"ZCHANGETYPE":7}}"#,
          shared + #""change":2,"kind":"delete","entityRaw":99,"pk":4,"columnsRaw":"","#
            + #""tombstoneRaw":["x"]}"#,
          shared + #""change":3,"kind":"update","entity":"T%\u0001"# + Envelopes.strange
            + #"","pk":-7,"object":"T%\u0001"# + Envelopes.strange + #"/p-7","columnsRaw":"ff"}"#,
          shared + #""change":4,"kind":"delete","entity":"Trip","#
            + #""tombstone":{"startDate":"2024-07-29T00:42:37Z"},"#
            + #""tombstoneRaw":[null,null,null,null,"2024-07-29T00:42:37Z"]}"#,
        ].map { $0[...] })
  }

  @Test
  func `a CloudEvents event wraps a change record`() throws {
    let shared = #"""
      {"specversion":"1.0","source":"x-coredata://1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F",\#
      "time":"2024-07-29T00:42:37.824189Z","datacontenttype":"application/json",\#
      "dataschema":"urn:histctl:change:1","type":"alt.histctl.
      """#
    let places = ["0000000000000000008", "0000000000000000009", "0000000000000000010"]
    let kinds = [("insert", 1), ("update", 1), ("delete", 2)]
    let lines = zip(zip(kinds, places), Self.records).enumerated().map { index, parts in
      shared + parts.0.0.0 + "\",\"id\":\"5-\(index + 8)\",\"subject\":\"Trip/p\(parts.0.0.1)\","
        + "\"sequence\":\"0000000000000000005.\(parts.0.1)\",\"data\":\(parts.1)}\n"
    }
    #expect(try Envelopes.text(.cloudevents, [Envelopes.transaction]) == lines.joined())
  }

  @Test
  func `a CloudEvents event of hostile values is JSON`() throws {
    let lines = try Envelopes.text(.cloudevents, [Envelopes.hostile]).split(separator: "\n")
    try #require(lines.count == 4)
    #expect(
      lines[0].hasPrefix(
        #"""
        {"specversion":"1.0","source":"x-coredata:///","datacontenttype":"application/json",\#
        "dataschema":"urn:histctl:change:1","type":"alt.histctl.unknown",\#
        "id":"-3--9223372036854775808",\#
        "sequence":"-9223372036854775805.-0000000000000000000","data":{"schema":1,
        """#))
    #expect(lines[2].contains(#","subject":"T%25%01%EF%B7%90,%C2%85é/p-7","#))
    #expect(!lines[1].contains("\"subject\"") && !lines[3].contains("\"subject\""))
    var transaction = Envelopes.transaction
    transaction.store = "a b/é%?"
    #expect(
      try Envelopes.text(.cloudevents, [transaction], fields: ["id"])
        .hasPrefix(#"{"specversion":"1.0","source":"x-coredata://a%20b%2F%C3%A9%25%3F","type":"#))
  }

  @Test
  func `sequence texts sort like their numbers`() throws {
    var generator = SeededGenerator(seed: 7)
    var numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 9, 10, .max - 1, .max]
    for bits in 1..<64 {
      numbers.append(Int64.random(in: 0..<(1 << Int64(bits - 1)) + 1, using: &generator))
      numbers.append(-Int64.random(in: 0..<(1 << Int64(bits - 1)) + 1, using: &generator))
    }
    var places: [(transaction: Int64, change: Int64, sequence: [UInt8])] = []
    for transaction in numbers {
      let changes = (0..<4).map { _ in numbers.randomElement(using: &generator) ?? 0 }
      let lines = try Envelopes.text(
        .cloudevents,
        [
          HistoryTransaction(
            number: transaction,
            changes: changes.map {
              HistoryChange(number: $0, kind: .insert, entity: nil, primaryKey: nil)
            })
        ], fields: ["sequence"]
      ).split(separator: "\n")
      for (change, line) in zip(changes, lines) {
        let sequence = try #require(line.split(separator: "\"sequence\":\"").last)
        places.append((transaction, change, Array(sequence.utf8)))
      }
    }
    #expect(places.count == numbers.count * 4)
    let byNumber = places.sorted { ($0.transaction, $0.change) < ($1.transaction, $1.change) }
    let byText = places.sorted { $0.sequence.lexicographicallyPrecedes($1.sequence) }
    #expect(byNumber.map(\.transaction) == byText.map(\.transaction))
    #expect(byNumber.map(\.change) == byText.map(\.change))
  }

  @Test
  func `a Debezium event has the state before and after`() throws {
    func line(
      _ before: String, _ after: String, _ change: Int, _ op: String, _ order: Int,
      _ history: String
    ) -> String {
      #"{"before":\#(before),"after":\#(after),"source":{"version":"1","connector":"histctl","#
        + #""name":"histctl","ts_ms":1722213757824,"ts_us":1722213757824189,"snapshot":"false","#
        + #""db":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","txId":5,"author":"widget","#
        + #""bundle":"com.example.Trips","process":"Trips","table":"Trip","change":\#(change),"#
        + #""sequence":"0000000000000000005.\#(String(repeating: "0", count: change < 10 ? 18 : 17))\#(change)"},"#
        + #""op":"\#(op)","ts_ms":1722213757824,"transaction":{"id":"5","#
        + #""total_order":\#(order),"data_collection_order":\#(order)},"history":{\#(history)}}"#
        + "\n"
    }
    #expect(
      try Envelopes.text(.debezium, [Envelopes.transaction])
        == line("null", #"{"Z_PK":1}"#, 8, "c", 1, "")
        + line(
          "null", #"{"Z_PK":1}"#, 9, "u", 2,
          #""attributes":["isFavorite","name"],"columnsRaw":"0c00""#)
        + line(#"{"Z_PK":2,"isFavorite":true,"name":"Rome"}"#, "null", 10, "d", 3, ""))
  }

  @Test
  func `changes without a kind leave a gap in the orders of Debezium`()
    throws
  {
    let lines = try Envelopes.text(.debezium, [Envelopes.hostile]).split(separator: "\n")
    try #require(lines.count == 3)
    let place = #""op":"d","ts_ms":null,"transaction":{"id":"-3","total_order":"#
    #expect(
      lines[0].hasPrefix(#"{"before":{"Z_PK":4},"after":null,"source":{"version":"1","#)
        && lines[0].contains(#""ts_ms":null,"ts_us":null,"snapshot":"false","db":"","txId":-3,"#)
        && lines[0].contains(#""table":null,"change":2,"sequence":"-"#)
        && lines[0].contains(#".0000000000000000002"},"# + place)
        && lines[0].hasSuffix(
          #""total_order":2,"data_collection_order":2},"history":{"entityRaw":99,"columnsRaw":"","#
            + #""tombstoneRaw":["x"],"transactionExtra":{"Z_OPT":3}}}"#)
    )
    #expect(lines[1].contains(#""total_order":3,"data_collection_order":1}"#))
    #expect(lines[2].contains(#"{"before":{"Z_PK":null,"startDate":"2024-07-29T00:42:37Z"},"#))
  }

  @Test
  func
    `changes are counted for each entity up to a limit of entities`()
    throws
  {
    let entities = (Array(0..<10_050) + Array(0..<20)).map { HistoryEntity(name: "E\($0)") }
    let changes = entities.enumerated().map {
      HistoryChange(number: Int64($0.offset), kind: .insert, entity: $0.element, primaryKey: 1)
    }
    let text = try Envelopes.text(
      .debezium, [HistoryTransaction(number: 1, changes: changes)], fields: ["transaction"])
    let lines = text.split(separator: "\n")
    for (index, line) in lines.enumerated() {
      let order = index < 10_000 ? "1" : index < 10_050 ? "null" : "2"
      let expected =
        #"{"transaction":{"id":"1","total_order":\#(index + 1),"#
        + #""data_collection_order":\#(order)}}"#
      if line != expected { Issue.record("\(line) instead of \(expected)") }
    }
    #expect(lines.count == 10_070)
  }

  @Test(arguments: [
    (0.0, "978307200000"), (-978_307_200.5, "-500"), (-978_307_200.000_001, "-1"),
    (743_906_557.999_999_6, "1722213758000"), (-0.0, "978307200000"), (1e300, "null"),
    (-9e12, "null"), (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
    (8.9e12, "8900978307200000"), (-8.9e12, "-8899021692800000"),
  ])
  func `times are whole numbers rounded down, or null`(seconds: Double, milliseconds: String) throws
  {
    let transaction = HistoryTransaction(
      number: 1, timestamp: StoreTimestamp(secondsSinceReferenceDate: seconds),
      changes: [HistoryChange(number: 1, kind: .insert, entity: nil, primaryKey: nil)])
    #expect(
      try Envelopes.text(.debezium, [transaction], fields: ["ts_ms"])
        == "{\"ts_ms\":\(milliseconds)}\n")
  }

  @Test
  func `a table of comma-separated values has a row for each change`() throws {
    let shared =
      "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F,5,2024-07-29T00:42:37.824189Z,"
      + "743906557.824189,widget,com.example.Trips,Trips,,"
    #expect(
      try Envelopes.text(.csv, [Envelopes.transaction])
        == "store,transaction,timestamp,timestampRaw,author,bundle,process,context,change,kind,"
        + "entity,pk,object,attributes,columnsRaw,tombstone,entityRaw,tombstoneRaw,extra,"
        + "transactionExtra,values\n"
        + shared + "8,insert,Trip,1,Trip/p1,,,,,,,,\n"
        + shared + "9,update,Trip,1,Trip/p1,\"[\"\"isFavorite\"\",\"\"name\"\"]\",0c00,,,,,,\n"
        + shared
        + "10,delete,Trip,2,Trip/p2,,,\"{\"\"isFavorite\"\":true,\"\"name\"\":\"\"Rome\"\"}\",,,,,\n"
    )
  }

  @Test
  func `a table tells a missing text from an empty one and wraps a malformed one`() throws {
    let shared =
      ",-3,,inf,\"{\"\"$text\"\":\"\"/w==\"\"}\",\"\",\"=1+1, \"\"a\"\"\r\n\","
      + "\"{\"\"$text\"\":\"\"YQBi\"\"}\","
    let end = ",\"{\"\"Z_OPT\"\":3}\",\n"
    let name = "T%\u{1}" + Envelopes.strange
    #expect(
      try Envelopes.text(.csv, [Envelopes.hostile], hasPrologue: false)
        == shared + "-9223372036854775808,,,,,,,,,\"[{\"\"$real\"\":\"\"-0.0\"\"}]\","
        + "\"{\"\"ZCHANGETYPE\"\":7}\"" + end
        + shared + "2,delete,,4,,,\"\",,99,\"[\"\"x\"\"]\"," + end
        + shared + "3,update,\"\(name)\",-7,\"\(name)/p-7\",,ff,,,," + end
        + shared + "4,delete,Trip,,,,,\"{\"\"startDate\"\":\"\"2024-07-29T00:42:37Z\"\"}\",,"
        + "\"[null,null,null,null,\"\"2024-07-29T00:42:37Z\"\"]\"," + end)
  }

  @Test
  func `a table of one column has no empty line`() throws {
    #expect(
      try Envelopes.text(.csv, [Envelopes.transaction], fields: ["attributes"])
        == "attributes\n\"\"\n\"[\"\"isFavorite\"\",\"\"name\"\"]\"\n\"\"\n")
    #expect(
      try Envelopes.text(.csv, [Envelopes.hostile], fields: ["pk"]) == "pk\n\"\"\n4\n-7\n\"\"\n")
    #expect(
      try Envelopes.text(.csv, [Envelopes.transaction], fields: ["context"])
        == "context\n\"\"\n\"\"\n\"\"\n")
  }

  @Test(arguments: Envelopes.formats)
  func `transactions without changes produce no lines`(format: ExportFormat) throws {
    let encoder = try format.encoder()
    #expect(try Envelopes.bytes(format, [HistoryTransaction(number: 1)]) == encoder.prologue)
    #expect(encoder.prologue.isEmpty == (format != .csv))
  }
}
