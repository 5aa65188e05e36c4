import HistoryCoding
import PersistentHistory
import StoreFormat
import Synchronization

/// The content of a run of a segment's frames.
struct FrameRunFacts: Sendable {
  var findings: FindingLog<ArchiveFindingKind>
  /// The first and the last transaction; `nil` if there was none.
  var first: TransactionPosition?
  var last: TransactionPosition?
  /// The earliest and the latest time.
  var times: ClosedRange<StoreTimestamp>?
  var transactionCount: Int64 = 0
  var tally = ChangeTally()
  var textByteCount: Int64 = 0
  /// Whether all of it could be read.
  var isComplete = true

  init(limit: Int) { findings = FindingLog(limit: limit) }

  /// Adds a transaction.
  mutating func add(_ position: TransactionPosition) {
    if first == nil { first = position }
    last = position
    transactionCount += 1
    if let time = position.timestamp { add(time...time) }
  }

  /// Adds what follows.
  mutating func add(_ next: FrameRunFacts, at place: FindingPlace) {
    if let first = next.first, let last, first.number <= last.number {
      findings.add(
        .damagedLine, at: place, "transaction \(first.number) follows transaction \(last.number)")
    }
    findings.add(next.findings)
    if first == nil { first = next.first }
    last = next.last ?? last
    if let times = next.times { add(times) }
    transactionCount += next.transactionCount
    tally.add(next.tally)
    textByteCount += next.textByteCount
    isComplete = isComplete && next.isComplete
  }

  private mutating func add(_ range: ClosedRange<StoreTimestamp>) {
    times =
      times.map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
  }
}

/// Decodes runs of frames of one segment, encodes them again, and compares both with the segment and
/// its manifest.
struct FrameRunInspection {
  /// Why a line is not what the encoder writes.
  private struct Problem: Error {
    let detail: String
  }

  /// Long lines are read by one thread at a time, because each may take much memory.
  private static let longLine = Mutex(())
  /// The text that is collected before it is compared, in bytes.
  private static let pieceSize = 1 << 18

  private let reader: SegmentReader
  private let limit: Int
  private var encoder = TransactionLineEncoder()
  /// The text that was not compared yet, and the frames in which it goes on.
  private var expected: ArraySlice<UInt8> = []
  private var expectedFrames: Range<Int> = 0..<0

  init(path: String, manifest: SegmentManifest, limit: Int) throws(ArchiveError) {
    reader = try SegmentReader(path: path, manifest: manifest)
    self.limit = limit
  }

  /// Reads some frames, of which the first begins with a line.
  mutating func inspect(_ frames: Range<Int>) -> FrameRunFacts {
    var facts = FrameRunFacts(limit: limit)
    var index = frames.lowerBound
    while index < frames.upperBound {
      let group = reader.frames(from: index)
      facts.add(inspect(group: group), at: .file(reader.path))
      index = group.upperBound
    }
    return facts
  }

  /// Reads a frame of whole lines, or all those of a long line.
  private mutating func inspect(group: Range<Int>) -> FrameRunFacts {
    var facts = FrameRunFacts(limit: limit)
    encoder.removeAll()
    (expected, expectedFrames) = ([], group)
    do {
      if group.count == 1 {
        for line in try reader.lines(ofFrame: group.lowerBound) {
          try read(line, { nil }, &facts)
        }
      } else {
        let reader = reader
        try Self.longLine.withLock { _ in
          var rest = group.dropFirst()
          let first = try reader.text(ofFrame: group.lowerBound)
          try read(
            first[...], { try rest.popFirst().map { try reader.text(ofFrame: $0)[...] } }, &facts)
        }
      }
      guard expected.isEmpty, expectedFrames.isEmpty else {
        throw Problem(detail: "text follows the lines")
      }
      compare(facts, with: group.lowerBound, &facts.findings)
    } catch {
      facts.isComplete = false
      add(error, .frame(group.lowerBound + 1, file: reader.path), &facts)
    }
    facts.textByteCount = group.reduce(0) { $0 + Int64(reader.manifest.frames[$1].textByteCount) }
    return facts
  }

  private mutating func read(
    _ text: ArraySlice<UInt8>, _ more: () throws -> ArraySlice<UInt8>?,
    _ facts: inout FrameRunFacts
  ) throws {
    var line = TransactionLineReader(text, reader.decoder)
    guard case .transaction(let transaction) = try line.readHead(more) else {
      throw Problem(detail: "a line is not a transaction")
    }
    guard transaction.store == reader.manifest.store else {
      throw Problem(detail: "transaction \(transaction.number) is of another store")
    }
    guard reader.manifest.range.contains(transaction.number) else {
      throw Problem(detail: "transaction \(transaction.number) does not belong in this segment")
    }
    if let last = facts.last, transaction.number <= last.number {
      throw Problem(
        detail: "transaction \(transaction.number) follows transaction \(last.number)")
    }
    facts.add(transaction.position)
    encoder.begin(transaction)
    while let change = try line.readChange(more) {
      if let entity = change.entity, entity.number == nil {
        throw Problem(
          detail: "a change is of the entity \(entity.label), which the schema does not have")
      }
      facts.tally.add(change.kind, of: change.entity?.number)
      encoder.append(change)
      if encoder.byteCount >= Self.pieceSize { try compareText() }
    }
    encoder.end()
    try compareText()
  }

  /// Compares what was encoded with the text that comes next.
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

  private func add(_ error: any Error, _ place: FindingPlace, _ facts: inout FrameRunFacts) {
    let line = facts.last.map { "at transaction \($0.number): " } ?? ""
    switch error {
    case let problem as Problem:
      facts.findings.add(.damagedLine, at: place, line + problem.detail)
    case let error as LineError: facts.findings.add(.damagedLine, at: place, line + error.message)
    case ArchiveError.damaged(_, let part, let detail):
      facts.findings.add(.damagedFrame, at: place, "\(part): \(detail)")
    case let error as ArchiveError:
      facts.findings.add(.unreadableFile, at: place, error.message)
    default: facts.findings.add(.damagedFrame, at: place, "\(error)")
    }
  }

  /// Compares a frame with the manifest.
  private func compare(
    _ facts: FrameRunFacts, with index: Int, _ findings: inout FindingLog<ArchiveFindingKind>
  ) {
    let frame = reader.manifest.frames[index]
    let places = [
      (facts.first?.number == frame.transaction, "the first transaction"),
      (facts.first?.timestamp == frame.timestamp, "the time of the first transaction"),
      (facts.times?.upperBound == frame.latest, "the latest time"),
      (facts.transactionCount == Int64(frame.transactionCount), "the number of transactions"),
    ]
    for (agrees, what) in places where !agrees {
      findings.add(
        .contradictedManifest, at: .frame(index + 1, file: reader.path),
        "\(what) differs from the manifest")
    }
  }
}
