import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct LineReaderTests {
  /// Reads a line that comes in pieces.
  private static func read(
    _ line: [UInt8], _ decoder: TransactionLineDecoder, pieces: [Int] = []
  ) throws -> HistoryLine {
    var rest = line[...]
    var pieces = pieces[...]
    func next() -> ArraySlice<UInt8>? {
      guard !rest.isEmpty else { return nil }
      let piece = rest.prefix(pieces.popFirst() ?? .max)
      rest = rest.dropFirst(piece.count)
      return piece
    }
    var reader = TransactionLineReader(next() ?? [], decoder)
    let head = try reader.readHead(next)
    guard case .transaction(var transaction) = head else { return head }
    while let change = try reader.readChange(next) { transaction.changes.append(change) }
    return .transaction(transaction)
  }

  @Test(.needsOptimization, arguments: [1, 2, 3] as [UInt64])
  func `lines read in pieces equal lines read as a whole`(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var hostile = HostileHistory(seed: seed)
    try hostile.write(to: folder.file("hostile.store"), hasPlainStrings: seed == 2)
    var random = SeededGenerator(seed: seed)
    for path in [
      folder.file("hostile.store"), try SampleStore.write(to: folder.file("sample.store")),
    ] {
      let lines = try StoreLines(path: path)
      let decoder = TransactionLineDecoder(schema: lines.schema)
      for (line, transaction) in zip(lines.lines, lines.transactions) {
        #expect(try Self.read(line, decoder) == .transaction(transaction))
        for longest in [1, 3, 20, 200] {
          let pieces = line.map { _ in Int.random(in: 1...longest, using: &random) }
          #expect(try Self.read(line, decoder, pieces: pieces) == .transaction(transaction))
        }
      }
    }
    let gap = Array(#"{"schema":1,"type":"gap","after":5,"oldest":9}"#.utf8) + [0x0A]
    let decoder = TransactionLineDecoder(schema: HistorySchema(entities: []))
    #expect(
      try Self.read(gap, decoder, pieces: Array(repeating: 1, count: gap.count))
        == .gap(HistoryGap(store: nil, after: 5, oldest: 9)))
  }

  @Test
  func `an incomplete line or text after its end is refused`() throws {
    let folder = try TemporaryFolder()
    let lines = try StoreLines(path: SampleStore.write(to: folder.file("sample.store")))
    let decoder = TransactionLineDecoder(schema: lines.schema)
    let line = lines.lines[3].dropLast()
    for count in line.indices {
      #expect(throws: LineError.self) {
        try Self.read(Array(line[..<count]), decoder, pieces: [7])
      }
    }
    for end in ["x", "\n{}", "}", "]}", ",\"later\":1}"] {
      #expect(throws: LineError.self) { try Self.read(Array(line) + Array(end.utf8), decoder) }
    }
    #expect(throws: LineError.self) {
      try Self.read(Array(line.dropLast()) + Array(",\"later\":1}".utf8), decoder)
    }
  }

  @Test(.needsOptimization)
  func `a line read in pieces with a changed byte is read or refused`() throws {
    let folder = try TemporaryFolder()
    var hostile = HostileHistory(seed: 1)
    try hostile.write(to: folder.file("hostile.store"), hasPlainStrings: false)
    let lines = try StoreLines(path: folder.file("hostile.store"))
    let decoder = TransactionLineDecoder(schema: lines.schema)
    var random = SeededGenerator(seed: 9)
    for line in lines.lines.prefix(40) {
      for place in line.indices.filter({ _ in Bool.random(using: &random) }) {
        var bytes = line
        bytes[place] ^= UInt8.random(in: 1...255, using: &random)
        guard let read = try? Self.read(bytes, decoder, pieces: [50, 50]) else { continue }
        #expect(try decoder.decode(bytes) == read)
      }
    }
  }

  @Test
  func `a value beyond the limit is refused with that limit`() throws {
    let decoder = TransactionLineDecoder(schema: HistorySchema(entities: []))
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let author = Array(#"{"schema":1,"type":"transaction","transaction":1,"author":""#.utf8)
    var count = 0
    var reader = TransactionLineReader(author[...], decoder)
    #expect(throws: LineError.tooLarge(limit: TransactionLineReader.partLimit)) {
      try reader.readHead {
        count += 1
        return piece[...]
      }
    }
    #expect(count == TransactionLineReader.partLimit / piece.count)
    #expect(
      LineError.tooLarge(limit: 32 << 20).message.contains("limit 32 MiB"))
    let elements = String(repeating: "null,", count: 40_000) + "null"
    #expect(throws: LineError.self) {
      try decoder.decode(
        Array(
          (#"{"schema":1,"type":"transaction","transaction":1,"changes":[{"change":1,"tombstoneRaw":["#
            + elements + "]}]}").utf8))
    }
  }
}
