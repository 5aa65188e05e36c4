import StoreFormat

/// Makes something of the text of windows: packs it, or compares it. Each thread has its own.
package protocol WindowPacker: SendableMetatype {
  associatedtype Encoder: HistoryEncoder
  associatedtype Piece: Sendable

  /// Writes the text; who packs takes it out from time to time.
  var encoder: Encoder { get set }

  /// Begins with a window, or begins with it anew: what was made of it so far is forgotten.
  mutating func begin(_ window: HistoryWindow) throws

  /// Is told that the text of a transaction is complete.
  mutating func end(_ position: TransactionPosition) throws

  /// Takes out the text so far, in the middle of a transaction or behind one.
  ///
  /// - Parameter position: The transaction whose text goes on; `nil` after one.
  mutating func takePiece(in position: TransactionPosition?) throws -> Piece

  /// Takes out what is left of a window.
  mutating func finish() throws -> Piece

  /// How much text has been made of the window and taken out of the encoder.
  var takenByteCount: Int { get }
}
