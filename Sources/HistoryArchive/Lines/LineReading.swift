import HistoryCoding
import PersistentHistory
import StoreFormat

/// Reads the lines of a text once, checks each, and packs them into the frames of a segment.
struct LineReading {
  /// The identifier of the store, or `nil` if the lines name none.
  private(set) var store: String?
  /// The gaps that the lines report.
  private(set) var gaps: [HistoryGap] = []
  let frames: LineFrames
  /// Some of the other stores whose lines were skipped.
  private(set) var others: Set<String> = []
  /// The entities that the lines name.
  let entities = LineEntities()

  private static let maxOthers = 16
  /// Some programs write it at the start of a text.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let wanted: String?
  private let path: String
  private let input: LineInput
  private let decoder: TransactionLineDecoder
  private var encoder = TransactionLineEncoder()
  private var hasStore = false

  /// - Parameters:
  ///   - store: The store whose lines to take; `nil` if all are of one store.
  ///   - file: The file for the frames.
  init(_ text: ExportedText, store: String?, _ file: TemporaryFile) throws {
    path = text.path
    wanted = store?.uppercased()
    input = LineInput(text)
    frames = try LineFrames(file)
    decoder = TransactionLineDecoder(entities: entities)
  }

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
        "transaction \(error.transaction) is repeated or out of order", at: error.number)
    }
  }

  private mutating func take(_ line: ArraySlice<UInt8>) throws {
    let isWhole = input.isWhole
    do {
      try takeParts(line)
    } catch let error as LineError {
      guard isWhole else { throw malformed(error) }
      // Lines of other programs may have blanks or another order of keys.
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

  /// Reads a line part by part, since it may be larger than memory.
  private mutating func takeParts(_ line: ArraySlice<UInt8>) throws {
    let input = input
    var reader = TransactionLineReader(line, decoder)
    let transaction: HistoryTransaction
    switch try reader.readHead({ try input.more() }) {
    case .gap(let gap): return try takeWhole(.gap(gap))
    case .transaction(let head): transaction = head
    }
    guard try accept(transaction.store, transaction.number) else { return }
    // A line that is here as a whole may have to be read again in another way.
    let drain =
      input.isWhole
      ? nil
      : TextDrain { [frames] in
        try frames.addPiece(transaction.position, Array($0), number: input.number)
      }
    encoder.drain = drain
    defer { encoder.drain = nil }
    encoder.begin(transaction)
    while let change = try reader.readChange({ try input.more() }) {
      encoder.append(change)
      try drain?.throwFailure()
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

  /// Whether a line is of the wanted store.
  private mutating func accept(_ store: String?, _ transaction: Int64?) throws(ArchiveError) -> Bool
  {
    if let transaction, transaction < 1 {
      throw malformed(
        "no transaction can have the number \(transaction)", at: nil)
    }
    if let wanted, store?.uppercased() != wanted {
      if let store, others.count < Self.maxOthers { others.insert(store) }
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

/// Splits a text into lines. A line longer than ``longestWhole`` comes in pieces.
final class LineInput {
  /// The maximum length of a line that comes in one piece, in bytes.
  static let longestWhole = 1 << 20

  /// The number of the current line, counted from 1.
  private(set) var number = 0
  /// Whether the current line was read to its end.
  private(set) var isWhole = true
  private let text: ExportedText
  private var piece: ArraySlice<UInt8> = []

  init(_ text: ExportedText) { self.text = text }

  /// Returns the next line without its line feed, or the first piece of a long one, or `nil` after the
  /// last one. Skips the rest of the line before.
  func next() throws(ArchiveError) -> ArraySlice<UInt8>? {
    while try more() != nil {}
    guard try fill() else { return nil }
    number += 1
    isWhole = false
    var line = take()
    while !isWhole, line.count < Self.longestWhole {
      guard try fill() else {
        isWhole = true
        break
      }
      line += take()
    }
    return line
  }

  /// Returns the next piece of a long line, or `nil` at its end.
  func more() throws(ArchiveError) -> ArraySlice<UInt8>? {
    guard !isWhole else { return nil }
    guard try fill() else {
      isWhole = true
      return nil
    }
    return take()
  }

  /// Reads text if there is none left. Returns false at the end.
  private func fill() throws(ArchiveError) -> Bool {
    while piece.isEmpty {
      guard let next = try text.next() else { return false }
      piece = next[...]
    }
    return true
  }

  /// Returns the part of the current line that was read.
  private func take() -> ArraySlice<UInt8> {
    guard let end = piece.firstIndex(of: UInt8(ascii: "\n")) else {
      defer { piece = [] }
      return piece
    }
    isWhole = true
    defer { piece = piece[(end + 1)...] }
    return piece[..<end]
  }
}
