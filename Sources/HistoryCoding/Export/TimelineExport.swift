import PersistentHistory
import StoreFormat

/// Exports what a reader of a timeline gives, on one thread.
///
/// Lines that are written already go out as they are, where lines are what is wanted.
final class TimelineExport<Encoder: HistoryEncoder> {
  typealias Output = @Sendable (UnsafeRawBufferPointer, ExportSummary) throws -> Void

  /// How much text is gathered before it goes out.
  private static var pieceSize: Int { 1 << 20 }

  /// What has been exported so far.
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

  /// What has been exported, and whether no byte of it came out.
  var begun: (summary: ExportSummary, isEmpty: Bool) { (summary, isEmpty) }

  /// Exports all that a reader gives.
  func write(_ reader: TimelineReader) throws {
    var encoder = encoder
    let prologue = export.prologue(of: encoder)
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

  /// Ends an export to which nothing else is added.
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
