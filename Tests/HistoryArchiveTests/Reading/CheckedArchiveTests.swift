import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive
@testable import PersistentHistory

/// The history of an archive whose segments are checked, from its end to its beginning.
@Suite(.bounded) struct CheckedArchiveTests {
  private struct Sample {
    let folder: TemporaryFolder
    let history: StoreHistory
    var archive: HandmadeArchive

    init() throws {
      folder = try TemporaryFolder()
      let path = try SampleStore.write(to: folder.file("sample.store"))
      history = try StoreHistory(path: path)
      archive = try HandmadeArchive(in: folder.file("archive"))
    }

    @discardableResult
    mutating func seal(_ numbers: ClosedRange<Int64>, after: Int64? = nil) throws -> CatalogEntry {
      try archive.add(
        history.transactions.filter { numbers.contains($0.number) }, store: history.identifier,
        after: after, schema: history.schema)
    }

    func checked() throws -> ArchiveReader {
      try ArchiveReader(
        path: archive.archive.path, storeIdentifier: history.identifier, check: .soundRows)
    }

    func read(through number: Int64) throws -> [HistoryTransaction] {
      let reader = try checked().newestTransactions(through: number)
      var transactions: [HistoryTransaction] = []
      while var transaction = try reader.nextTransaction() {
        while let change = try reader.nextChange() { transaction.changes.append(change) }
        transactions.append(transaction)
      }
      return transactions
    }
  }

  @Test func `each transaction is returned once, newest first`() throws {
    var sample = try Sample()
    try sample.seal(1...4)
    try sample.seal(5...8, after: 4)
    try sample.seal(7...12, after: 6)
    #expect(try sample.read(through: .max) == sample.history.transactions.reversed())
    #expect(
      try sample.read(through: 7) == sample.history.transactions.prefix(7).reversed())
    #expect(try sample.read(through: 0) == [])
  }

  @Test func `a gap ends the restorable history`() throws {
    var sample = try Sample()
    try sample.seal(1...3)
    try sample.seal(6...9)
    try sample.seal(10...12, after: 9)
    #expect(try sample.read(through: 12).map(\.number) == [12, 11, 10, 9, 8, 7, 6])
    #expect(try sample.read(through: 5).map(\.number) == [3, 2, 1])
    #expect(try sample.read(through: 6).map(\.number) == [6])
  }

  @Test func `a moment is found by the lowest number at it`() throws {
    var sample = try Sample()
    try sample.seal(1...4)
    try sample.seal(5...8, after: 4)
    let sealed = try sample.checked()
    func lowest(_ seconds: Double) throws -> Int64? {
      try sealed.firstTransaction(
        notBefore: StoreTimestamp(secondsSinceReferenceDate: 743_906_500 + seconds))?.number
    }
    #expect(try lowest(0) == 1)
    #expect(try lowest(240) == 4)
    #expect(try lowest(241) == 5)
    #expect(try lowest(480) == 8)
    #expect(try lowest(481) == nil)
  }

  @Test func `a damaged segment returns no transactions`() throws {
    var sample = try Sample()
    let older = try sample.seal(1...4)
    try sample.seal(5...12, after: 4)
    let path = sample.archive.archive.segmentPath(older)
    var bytes = try FileBytes.read(path)
    bytes[bytes.count - 1] ^= 0x80
    try FileBytes.write(bytes, to: path)
    let sealed = try sample.checked()
    let reader = try sealed.newestTransactions(through: 12)
    for number: Int64 in stride(from: 12, through: 5, by: -1) {
      #expect(try reader.nextTransaction()?.number == number)
    }
    #expect(throws: ArchiveError.self) { try reader.nextTransaction() }
  }

  @Test func `an archive of other stores is refused`() throws {
    var sample = try Sample()
    #expect(try sample.read(through: 12) == [])
    try sample.seal(1...4)
    #expect(throws: ArchiveError.self) {
      try ArchiveReader(
        path: sample.archive.archive.path, storeIdentifier: "OTHER", check: .soundRows)
    }
  }
}
