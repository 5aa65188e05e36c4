import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct FieldTests {
  @Test(arguments: Envelopes.formatsOfFields)
  func `unknown fields and empty lists are refused`(format: ExportFormat) throws {
    #expect(throws: ExportFormatError.unknownField(name: "no such", format: format)) {
      try format.encoder(fields: [format.fieldNames[0], "no such"])
    }
    #expect(throws: ExportFormatError.noFields(format: format)) { try format.encoder(fields: []) }
    let error = ExportFormatError.unknownField(name: "x", format: format)
    #expect(error.description.contains("'x'") && error.remedy.contains(format.fieldNames[1]))
  }

  @Test(arguments: Envelopes.formatsOfFields)
  func `a selection of all fields in any order is the same as none`(format: ExportFormat) throws {
    #expect(Set(format.fieldNames).count == format.fieldNames.count)
    for transaction in [Envelopes.transaction, Envelopes.hostile] {
      #expect(
        try Envelopes.bytes(format, [transaction], fields: format.fieldNames.reversed())
          == Envelopes.bytes(format, [transaction]))
    }
  }

  @Test(arguments: [ExportFormat.changes, .cloudevents, .debezium, .timesketch])
  func `a field selected alone has the same value as among all`(format: ExportFormat) throws {
    var recorded = Envelopes.transaction
    recorded.changes[1].values = [
      RecordedValue(
        name: "name", kind: .text, old: .value(.text("Rome")), new: .value(.text("Roma")))
    ]
    let transactions = [Envelopes.transaction, Envelopes.hostile, recorded]
    let whole = try records(of: format, transactions)
    let always: Set<String> =
      switch format {
      case .cloudevents: ["specversion", "source", "type", "id"]
      case .timesketch: ["message", "datetime", "timestamp_desc"]
      default: []
      }
    var seen: Set<String> = []
    for name in format.fieldNames {
      let cut = try records(of: format, transactions, fields: [name])
      #expect(cut.count == whole.count)
      for (record, all) in zip(cut, whole) {
        let kept = all.members.filter { always.contains($0.key) || $0.key == name }
        #expect(record.members.map(\.key) == kept.map(\.key), "\(name)")
        #expect(record.members.map(\.value) == kept.map(\.value), "\(name)")
      }
      seen.formUnion(whole.flatMap { $0.members.map(\.key) }.filter { $0 == name })
    }
    #expect(seen == Set(format.fieldNames))
  }

  private func records(
    of format: ExportFormat, _ transactions: [HistoryTransaction], fields: [String]? = nil
  ) throws -> [JSONObject] {
    try Envelopes.text(format, transactions, fields: fields).split(separator: "\n").map { line in
      guard case .object(let object) = try JSONReader().read(String(line)) else {
        throw ExportFormatError.noFields(format: format)
      }
      return object
    }
  }

  @Test
  func `a table has the selected columns in their order`() throws {
    #expect(
      try Envelopes.text(.csv, [Envelopes.transaction], fields: ["kind", "transaction", "object"])
        == "transaction,kind,object\n5,insert,Trip/p1\n5,update,Trip/p1\n5,delete,Trip/p2\n")
  }

  @Test(arguments: [
    (["author"], #""author":"widget","partial":true}"#),
    (
      ["pk", "kind"],
      #""partial":true,"changes":[{"kind":"insert","pk":1},{"kind":"update","pk":1},"#
        + #"{"kind":"delete","pk":2}]}"#
    ),
    (
      ["changes", "process"],
      #""process":"Trips","partial":true,"changes":["#
        + #"{"change":8,"kind":"insert","entity":"Trip","pk":1},"#
        + #"{"change":9,"kind":"update","entity":"Trip","pk":1,"#
        + #""attributes":["isFavorite","name"],"columnsRaw":"0c00"},"#
        + #"{"change":10,"kind":"delete","entity":"Trip","pk":2,"#
        + #""tombstone":{"isFavorite":true,"name":"Rome"}}]}"#
    ),
    (["tombstoneRaw"], #""partial":true,"changes":[{},{},{}]}"#),
    (["queryGenerationRaw"], #""queryGenerationRaw":{"$blob":"AQI="},"partial":true}"#),
    (["partial"], #""partial":true}"#),
  ])
  func `lines of transactions with selected fields are marked partial`(
    fields: [String], end: String
  ) throws {
    let text = try Envelopes.text(.jsonl, [Envelopes.transaction], fields: fields)
    #expect(text == #"{"schema":1,"type":"transaction","transaction":5,"# + end + "\n")
    let decoder = TransactionLineDecoder(schema: HistorySchema(entities: [Envelopes.trip]))
    #expect(throws: LineError.self) { try decoder.decode(Array(text.utf8)) }
  }

  @Test
  func `lines of hostile transactions with any selection are JSON`() throws {
    let format = ExportFormat.jsonl
    for name in format.fieldNames {
      let text = try Envelopes.text(format, [Envelopes.hostile], fields: [name, "extra"])
      guard case .object(let object) = try JSONReader().read(String(text.dropLast())) else {
        Issue.record("no object: \(text)")
        continue
      }
      #expect(object["partial"] == true && object["extra"] != nil, "\(name)")
    }
  }

  @Test
  func `file names distinguish readable lines from others`() {
    #expect(
      ExportFormat.allCases.map(\.fileExtension) == [
        "jsonl", "changes.jsonl", "cloudevents.jsonl", "debezium.jsonl", "csv",
        "timesketch.jsonl", "body", "sqlite",
      ])
  }

  @Test(arguments: [ExportFormat.bodyfile, .sqlite])
  func `formats of fixed fields refuse a selection`(format: ExportFormat) throws {
    #expect(format.fieldNames.isEmpty)
    for names in [[], ["kind"]] {
      #expect(throws: ExportFormatError.fixedFields(format: format)) {
        try format.encoder(fields: names)
      }
    }
  }

  @Test
  func `a selection of fields has a bit for each key`() { #expect(LineKey.allCases.count <= 128) }
}
