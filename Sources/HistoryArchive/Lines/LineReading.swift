import HistoryCoding
import PersistentHistory
import StoreFormat

/// Reads the lines of a text once, checks each, and puts them away as the frames of a segment.
struct LineReading {
  /// The identifier of the store; nil where the lines name none.
  private(set) var store: String?
  /// The places where the lines say that history is missing.
  private(set) var gaps: [HistoryGap] = []
  private(set) var frames: LineFrames
  /// Some of the other stores whose lines were left out.
  private(set) var others: Set<String> = []
  /// What the lines have told of entities.
  let entities = LineEntities()

  private static let mostOthers = 16

  /// As some programs put it in front of a text.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let wanted: String?
  private let path: String
  private let input: LineInput
  private let decoder: TransactionLineDecoder
  private var encoder = TransactionLineEncoder()
  private var hasStore = false

  /// - Parameters:
  ///   - text: The lines.
  ///   - store: The identifier of the store whose lines to take; nil where all are of one store.
  ///   - file: Where to put them.
  init(_ text: ExportedText, store: String?, _ file: TemporaryFile) throws {
    path = text.path
    wanted = store?.uppercased()
    input = LineInput(text)
    frames = try LineFrames(file)
    decoder = TransactionLineDecoder(entities: entities)
  }

  /// Reads them all.
  ///
  /// - Throws: ``ArchiveError``.
  mutating func run() throws {
    do {
      while var line = try input.next() {
        if input.number == 1, line.starts(with: Self.byteOrderMark) {
          line = line.dropFirst(Self.byteOrderMark.count)
        }
        guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else {
          continue
        }
        try take(line)
      }
      try frames.finish()
    } catch let error as LineDisorder {
      throw malformed(
        "transaction \(error.transaction) comes twice, or stands out of order", at: error.number)
    }
  }

  private mutating func take(_ line: ArraySlice<UInt8>) throws {
    let isWhole = input.isWhole
    do {
      try takeParts(line)
    } catch let error as LineError {
      guard isWhole else { throw malformed(error) }
      // Other programs write lines in other ways, with blanks or another order of keys.
      encoder.removeAll()
      let decoded: HistoryLine
      do throws(LineError) {
        decoded = try decoder.decode(Array(line))
      } catch {
        throw malformed(error)
      }
      try takeWhole(decoded)
    }
  }

  /// Takes a line part by part, so that it may be longer than memory.
  private mutating func takeParts(_ line: ArraySlice<UInt8>) throws {
    let input = input
    var reader = TransactionLineReader(line, decoder)
    let transaction: HistoryTransaction
    switch try reader.readHead({ try input.more() }) {
    case .gap(let gap): return try takeWhole(.gap(gap))
    case .transaction(let head): transaction = head
    }
    guard try accept(transaction.store, transaction.number) else { return }
    encoder.begin(transaction)
    while let change = try reader.readChange({ try input.more() }) {
      encoder.append(change)
      if encoder.byteCount >= ArchiveFormat.frameLimit, !input.isWhole {
        try frames.addPiece(transaction.position, Array(encoder.bytes), number: input.number)
        encoder.removeAll()
      }
    }
    try end(transaction)
  }

  private mutating func takeWhole(_ line: HistoryLine) throws {
    switch line {
    case .gap(let gap):
      if try accept(gap.store, nil) { gaps.append(gap) }
    case .transaction(let transaction):
      guard try accept(transaction.store, transaction.number) else { return }
      encoder.begin(transaction)
      for change in transaction.changes { encoder.append(change) }
      try end(transaction)
    }
  }

  private mutating func end(_ transaction: HistoryTransaction) throws {
    encoder.end()
    try frames.end(transaction.position, Array(encoder.bytes), number: input.number)
    encoder.removeAll()
  }

  /// Whether a line is of the store that is wanted.
  private mutating func accept(_ store: String?, _ transaction: Int64?) throws(ArchiveError) -> Bool
  {
    if let transaction, transaction < 1 {
      throw malformed(
        "transaction \(transaction) has a number that no transaction can have", at: nil)
    }
    if let wanted, store?.uppercased() != wanted {
      if let store, others.count < Self.mostOthers { others.insert(store) }
      return false
    }
    guard hasStore else {
      hasStore = true
      self.store = store
      return true
    }
    guard store == self.store else {
      throw .severalStores(path: path, stores: [self.store, store].map { $0 ?? "none" })
    }
    return true
  }

  private func malformed(_ detail: String, at number: Int?) -> ArchiveError {
    .damagedText(path: path, line: number ?? input.number, detail: detail)
  }

  private func malformed(_ error: any Error) -> ArchiveError {
    switch error {
    case let error as LineError: .malformedLine(path: path, line: input.number, error)
    default: malformed("\(error)", at: nil)
    }
  }
}
