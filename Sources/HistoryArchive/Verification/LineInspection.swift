import HistoryCoding
import PersistentHistory
import StoreFormat
import Synchronization

/// The content of the lines of a segment, or of one of its frames.
struct LineFacts {
  var findings: FindingLog<ArchiveFindingKind>
  /// The first and the last transaction; `nil` if there was none.
  var first: TransactionPosition?
  var last: TransactionPosition?
  /// The earliest and the latest time.
  var times: ClosedRange<StoreTimestamp>?
  var transactionCount: Int64 = 0
  var tally = ChangeTally()
  /// Whether the whole content could be read.
  var isComplete = true

  init(limit: Int) { findings = FindingLog(limit: limit) }

  /// Adds a transaction.
  mutating func add(_ position: TransactionPosition) {
    if first == nil { first = position }
    last = position
    transactionCount += 1
    if let time = position.timestamp { add(time...time) }
  }

  /// Adds the content that follows.
  mutating func add(_ next: LineFacts) {
    findings.add(next.findings)
    if first == nil { first = next.first }
    last = next.last ?? last
    if let times = next.times { add(times) }
    transactionCount += next.transactionCount
    tally.add(next.tally)
    isComplete = isComplete && next.isComplete
  }

  private mutating func add(_ range: ClosedRange<StoreTimestamp>) {
    times =
      times.map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
  }
}

/// Decodes the lines of a segment, encodes them again, and compares both with the segment and its
/// manifest.
struct LineInspection {
  /// Why a line is not what the encoder writes.
  private struct Problem: Error {
    let detail: String
  }

  /// Lets one thread at a time read a long line, because each may take much memory.
  final class LongLine: Sendable {
    fileprivate let turn = Mutex(())
  }

  /// The text that is collected before it is compared, in bytes.
  private static let pieceSize = 1 << 18

  private let reader: SegmentReader
  private let limit: Int
  private let longLine: LongLine
  private let layout: SealedLayout
  private var encoder = TransactionLineEncoder()
  private var facts: LineFacts
  /// The text that was not compared yet, and the frames in which it continues.
  private var expected: ArraySlice<UInt8> = []
  private var expectedFrames: Range<Int> = 0..<0

  /// - Parameter longLine: Shared by the threads of one verification.
  init(_ reader: SegmentReader, limit: Int, longLine: LongLine) {
    self.reader = reader
    self.limit = limit
    self.longLine = longLine
    layout = SealedLayout(reader.manifest.schema)
    facts = LineFacts(limit: limit)
  }

  /// Reads all lines.
  ///
  /// - Parameter progress: Receives the number of transactions of each frame.
  mutating func run(_ progress: (Int64) -> Void) -> LineFacts {
    var index = 0
    while index < reader.manifest.frames.count {
      let group = reader.frames(from: index)
      let found = inspect(group)
      facts.add(found)
      progress(found.transactionCount)
      index = group.upperBound
    }
    return facts
  }

  /// Reads a frame of whole lines, or all those of a long line.
  private mutating func inspect(_ group: Range<Int>) -> LineFacts {
    var found = LineFacts(limit: limit)
    encoder.removeAll()
    (expected, expectedFrames) = ([], group)
    do {
      if group.count == 1 {
        for line in try reader.lines(ofFrame: group.lowerBound) {
          try read(line, { nil }, group.lowerBound, &found)
        }
      } else {
        let reader = reader
        try longLine.turn.withLock { _ in
          var rest = group.dropFirst()
          let first = try reader.text(ofFrame: group.lowerBound)
          try read(
            first[...], { try rest.popFirst().map { try reader.text(ofFrame: $0)[...] } },
            group.lowerBound, &found)
        }
      }
      guard expected.isEmpty, expectedFrames.isEmpty else {
        throw Problem(detail: "text follows the lines")
      }
      compare(&found, with: group.lowerBound)
    } catch {
      found.isComplete = false
      add(error, .frame(group.lowerBound + 1, file: reader.path), &found)
    }
    return found
  }

  private mutating func read(
    _ text: ArraySlice<UInt8>, _ more: () throws -> ArraySlice<UInt8>?, _ frame: Int,
    _ found: inout LineFacts
  ) throws {
    let place = FindingPlace.frame(frame + 1, file: reader.path)
    var line = TransactionLineReader(text, reader.decoder)
    guard case .transaction(let transaction) = try line.readHead(more) else {
      throw Problem(detail: "a line is not a transaction")
    }
    let number = transaction.number
    guard transaction.store == reader.manifest.store, reader.manifest.range.contains(number) else {
      throw Problem(detail: "transaction \(number) does not belong in this segment")
    }
    if let last = found.last ?? facts.last, number <= last.number {
      throw Problem(detail: "transaction \(number) follows transaction \(last.number)")
    }
    if let detail = transaction.rowDamage {
      found.findings.add(.damagedRow, at: place, "transaction \(number): \(detail)")
    }
    if let detail = layout.problem(of: transaction) {
      found.findings.add(.contradictedManifest, at: place, "transaction \(number): \(detail)")
    }
    found.add(transaction.position)
    encoder.begin(transaction)
    while let change = try line.readChange(more) {
      if let entity = change.entity, entity.number == nil {
        throw Problem(
          detail: "a change is of the entity \(entity.label), which the schema does not have")
      }
      if let detail = change.rowDamage {
        found.findings.add(
          .damagedRow, at: place, "transaction \(number), change \(change.number): \(detail)")
      }
      if let detail = layout.problem(of: change) {
        found.findings.add(
          .contradictedManifest, at: place,
          "transaction \(number), change \(change.number): \(detail)")
      }
      found.tally.add(change.kind, of: change.entity?.number)
      encoder.append(change)
      if encoder.byteCount >= Self.pieceSize { try compareText() }
    }
    encoder.end()
    try compareText()
  }

  /// Compares the encoded text with the next text of the segment.
  private mutating func compareText() throws {
    var place = 0
    while place < encoder.byteCount {
      if expected.isEmpty, let next = expectedFrames.popFirst() {
        expected = try reader.text(ofFrame: next)[...]
      }
      let count = min(expected.count, encoder.byteCount - place)
      let isSame = encoder.withUnsafeBytes { encoded in
        expected.withUnsafeBytes { $0.prefix(count).elementsEqual(encoded[place..<place + count]) }
      }
      guard count > 0, isSame else {
        throw Problem(detail: "its text differs from what its content is encoded as")
      }
      expected = expected.dropFirst(count)
      place += count
    }
    encoder.removeAll()
  }

  private func add(_ error: any Error, _ place: FindingPlace, _ found: inout LineFacts) {
    let line = found.last.map { "at transaction \($0.number): " } ?? ""
    switch error {
    case let problem as Problem:
      found.findings.add(.damagedLine, at: place, line + problem.detail)
    case let error as LineError: found.findings.add(.damagedLine, at: place, line + error.message)
    case ArchiveError.damaged(_, let part, let detail):
      found.findings.add(.damagedFrame, at: place, "\(part): \(detail)")
    case let error as ArchiveError:
      found.findings.add(.unreadableFile, at: place, error.message)
    default: found.findings.add(.damagedFrame, at: place, "\(error)")
    }
  }

  /// Compares a frame with the manifest.
  private func compare(_ found: inout LineFacts, with index: Int) {
    let frame = reader.manifest.frames[index]
    let places = [
      (found.first?.number == frame.transaction, "the first transaction"),
      (found.first?.timestamp == frame.timestamp, "the time of the first transaction"),
      (found.times?.upperBound == frame.latest, "the latest time"),
      (found.transactionCount == Int64(frame.transactionCount), "the number of transactions"),
    ]
    for (agrees, what) in places where !agrees {
      found.findings.add(
        .contradictedManifest, at: .frame(index + 1, file: reader.path),
        "\(what) differs from the manifest")
    }
  }
}

/// The columns of the history tables when a segment was sealed, which must have a place for every value in its lines.
private struct SealedLayout {
  private let transactionColumns: Set<String>
  private let changeColumns: Set<String>
  private let tombstoneSlots: Set<Int>

  init(_ schema: SegmentSchema) {
    transactionColumns = Set(schema.transactionColumns)
    changeColumns = Set(schema.changeColumns)
    tombstoneSlots = Set(schema.changeColumns.compactMap(TombstoneColumn.number))
  }

  func problem(of transaction: HistoryTransaction) -> String? {
    if transaction.queryGeneration != nil, !transactionColumns.contains("ZQUERYGEN") {
      return Self.missing("ZQUERYGEN", "transactionColumns")
    }
    return transaction.extra.first { !transactionColumns.contains($0.column) }
      .map { Self.missing($0.column, "transactionColumns") }
  }

  func problem(of change: HistoryChange) -> String? {
    if !change.tombstone.isEmpty {
      for (slot, value) in change.tombstone.enumerated()
      where !value.isNull && !tombstoneSlots.contains(slot) {
        return Self.missing("ZTOMBSTONE\(slot)", "changeColumns")
      }
    }
    return change.extra.first { !changeColumns.contains($0.column) }
      .map { Self.missing($0.column, "changeColumns") }
  }

  private static func missing(_ column: String, _ key: String) -> String {
    "it has a value of the column \(column), which is not in \(key) of the manifest"
  }
}
