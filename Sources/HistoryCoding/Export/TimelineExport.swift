import PersistentHistory
import StoreFormat

/// Exports the elements of a timeline's reader on one thread.
///
/// Archived lines are copied unchanged if lines are exported.
final class TimelineExport<Encoder: HistoryEncoder> {
  typealias Output = @Sendable (UnsafeRawBufferPointer, ExportSummary) throws -> Void

  /// The bytes of text that are collected before they are written.
  private static var pieceSize: Int { 1 << 20 }

  private(set) var summary = ExportSummary()
  private let encoder: Encoder
  private var compressor: ExportCompressor
  private let output: Output
  private let compression: ExportCompression
  private let export: HistoryExport
  private var isEmpty = true

  init(export: HistoryExport, encoder: Encoder, output: @escaping Output) {
    self.encoder = encoder
    self.export = export
    self.output = output
    compression = export.compression
    compressor = ExportCompressor(export.compression)
  }

  /// The summary so far, and whether nothing was written yet.
  var begun: (summary: ExportSummary, isEmpty: Bool) { (summary, isEmpty) }

  /// Exports all elements of a reader.
  func write(_ reader: TimelineReader) throws {
    var encoder = encoder
    let prologue = export.prologue(of: encoder)
    encoder.drain = TextDrain { [unowned self] in try write(compressor.pack($0)) }
    if !prologue.isEmpty { try write(try compression.pack(prologue)) }
    while let element = try reader.nextElement() {
      switch element {
      case .gap(let gap):
        summary.gaps.append(gap)
        encoder.append(gap)
      case .transaction(let transaction):
        summary.add(transaction.position)
        try encoder.append(
          transaction, of: reader, byteLimit: Self.pieceSize, flush: { try flush(&$0) })
      }
      if encoder.byteCount >= Self.pieceSize { try flush(&encoder) }
    }
    try flush(&encoder)
  }

  /// Ends an export.
  func finish() throws {
    guard isEmpty else { return }
    let nothing = try compression.packNothing()
    if !nothing.isEmpty { try write(nothing) }
  }

  private func flush(_ encoder: inout Encoder) throws {
    guard encoder.byteCount > 0 else { return }
    let packed = try compressor.pack(encoder)
    encoder.removeAll()
    try write(packed)
  }

  private func write(_ bytes: [UInt8]) throws {
    isEmpty = false
    try bytes.withUnsafeBytes { try output($0, summary) }
  }
}
