import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// The history of an archive from its end to its beginning.
@Suite(.bounded) struct RestorableArchiveTests {
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

    func read(through number: Int64) throws -> [HistoryTransaction] {
      let sealed = try RestorableArchive(archive.archive, store: history.identifier)
      let reader = try sealed.transactions(through: number)
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
    let sealed = try RestorableArchive(sample.archive.archive, store: sample.history.identifier)
    func lowest(_ seconds: Double) throws -> Int64 {
      try sealed.lowestNumber(
        notBefore: StoreTimestamp(secondsSinceReferenceDate: 743_906_500 + seconds))
    }
    #expect(try lowest(0) == 1)
    #expect(try lowest(240) == 1)
    #expect(try lowest(241) == 5)
    #expect(try lowest(480) == 5)
    #expect(try lowest(481) == .max)
  }

  @Test func `a damaged segment returns no transactions`() throws {
    var sample = try Sample()
    let older = try sample.seal(1...4)
    try sample.seal(5...12, after: 4)
    let path = sample.archive.archive.segmentPath(older)
    var bytes = try FileBytes.read(path)
    bytes[bytes.count - 1] ^= 0x80
    try FileBytes.write(bytes, to: path)
    let sealed = try RestorableArchive(sample.archive.archive, store: sample.history.identifier)
    let reader = try sealed.transactions(through: 12)
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
      try RestorableArchive(sample.archive.archive, store: "OTHER")
    }
  }
}
