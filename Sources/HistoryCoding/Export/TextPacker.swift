import StoreFormat

/// Compresses the text of windows, each piece by itself.
struct TextPacker<Encoder: HistoryEncoder>: WindowPacker {
  var encoder: Encoder
  private(set) var takenByteCount = 0
  private var compressor: ExportCompressor

  init(_ encoder: Encoder, _ compression: ExportCompression) {
    self.encoder = encoder
    compressor = ExportCompressor(compression)
  }

  mutating func begin(_ window: HistoryWindow) {
    encoder.removeAll()
    takenByteCount = 0
  }

  mutating func end(_ position: TransactionPosition) {}

  mutating func takePiece(in position: TransactionPosition?) throws -> [UInt8] { try finish() }

  mutating func finish() throws -> [UInt8] {
    takenByteCount += encoder.byteCount
    defer { encoder.removeAll() }
    return try compressor.pack(encoder)
  }
}
