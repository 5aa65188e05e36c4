import HistoryCoding
import PersistentHistory
import StoreFormat
import StoreWriting
import TestSupport
import Testing

@Suite(.bounded) struct PresentObjectTests {
  /// A store with a trip that was renamed, and one that is gone.
  private static func store(_ folder: TemporaryFolder) throws -> String {
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave(timestamp: StoreTimestamp(secondsSinceReferenceDate: 743_906_500))
    let trip = save.insert(
      "Trip", values: ["name": .text("Rome"), "token": .blob([1, 2, 3]), "score": .integer(7)])
    let other = save.insert("Trip", values: ["name": .text("Oslo")])
    save.insert("LivingAccommodation", values: ["address": .text("Via")], toOne: ["trip": trip])
    let appended = try #require(try editor.append(save))
    var next = StoreSave(timestamp: StoreTimestamp(secondsSinceReferenceDate: 743_906_600))
    next.update(
      try #require(appended.stored(trip)),
      values: ["name": .text("Roma"), "isFavorite": .integer(1)])
    next.delete(try #require(appended.stored(other)))
    _ = try editor.append(next)
    return path
  }

  /// What an encoder writes of a store.
  private static func text(
    _ encoder: some HistoryEncoder, of path: String, reads: Bool
  ) throws -> String {
    try StoreFile(path: path).read { snapshot in
      var query = HistoryQuery()
      query.readsPresentObjects = reads
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var encoder = encoder
      while let transaction = try reader.nextTransaction() {
        encoder.begin(transaction)
        while try !encoder.appendChanges(of: reader, byteLimit: 1) {}
        encoder.end()
      }
      return encoder.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static let roma = #"""
    {"isFavorite":true,"name":"Roma","score":7,"token":{"$blob":"AQID"},\#
    "stay":{"$object":"LivingAccommodation/p1"}}
    """#

  @Test
  func `inserts and updates of present objects end with the current object`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let text = try Self.text(TransactionLineEncoder(), of: path, reads: true)
    let stay = #","current":{"address":"Via","trip":{"$object":"Trip/p1"}}"#
    // The insert and the update of one object have the same values.
    #expect(text.split(separator: #","current":\#(Self.roma)}"#).count == 3)
    #expect(text.contains(stay))
    #expect(!text.contains("Oslo\",\"stay") && !text.contains("\"current\":{\"name\":\"Oslo"))
    let plain = try Self.text(TransactionLineEncoder(), of: path, reads: false)
    #expect(
      text.replacing(#","current":\#(Self.roma)"#, with: "").replacing(stay, with: "") == plain)
  }

  @Test
  func `lines with current objects are read back without them`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let plain = try StoreLines(path: path)
    let decoder = TransactionLineDecoder(schema: plain.schema)
    for (line, transaction) in zip(
      try Self.text(TransactionLineEncoder(), of: path, reads: true).split(separator: "\n"),
      plain.transactions)
    {
      #expect(try decoder.decode(Array(line.utf8)) == .transaction(transaction))
    }
  }

  @Test(arguments: ExportFormat.allCases.filter { $0.content != .database })
  func `each format has one place for the current object, or none`(format: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let encoder = try format.encoder()
    #expect(encoder.carriesPresentObjects == format.carriesPresentObjects)
    #expect(format.carriesPresentObjects == (format != .csv && format != .bodyfile))
    let text = try Self.text(encoder, of: path, reads: true)
    // In Timesketch it is a string.
    let roma =
      format == .timesketch ? "\"" + Self.roma.replacing("\"", with: "\\\"") + "\"" : Self.roma
    #expect(
      text.split(separator: "\"current\":" + roma).count == (encoder.carriesPresentObjects ? 3 : 1))
    if !encoder.carriesPresentObjects {
      #expect(try text == Self.text(encoder, of: path, reads: false))
    }
  }

  @Test(arguments: [
    (ExportFormat.jsonl, ["author"], false), (.jsonl, ["author", "changes"], true),
    (.jsonl, ["kind"], true), (.changes, ["author"], true), (.cloudevents, ["id"], false),
    (.cloudevents, ["data"], true), (.debezium, ["op"], false), (.debezium, ["history"], true),
    (.csv, ["pk"], false), (.timesketch, ["pk"], true),
  ])
  func `the selected fields decide whether a line carries the current object`(
    format: ExportFormat, fields: [String], carries: Bool
  ) throws {
    #expect(try format.encoder(fields: fields).carriesPresentObjects == carries)
  }
}
