/// Reads text that may be packed with zstd or gzip, piece by piece.
///
/// How it is packed is told by its first bytes. Frames or members may stand one behind the other, as
/// in exported files. Memory does not grow with the text, and not with what a hostile file says of
/// itself either.
package final class TextUnpacker {
  /// How many bytes a piece has at most.
  static let pieceSize = 1 << 18

  /// How the text is packed, once that is known.
  private enum Method {
    case none
    case zstd(ZstdUnpacking)
    case gzip(GzipUnpacking)
  }

  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private var method: Method?
  private var input = [UInt8](repeating: 0, count: TextUnpacker.pieceSize)
  /// What of the input was read and not unpacked yet.
  private var rest = 0..<0
  private var isAtEnd = false

  /// Reads packed bytes from a source.
  ///
  /// - Parameter read: Fills a buffer as far as it can and says how far; 0 at the end.
  package init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    self.read = read
  }

  /// The next piece of the text; `nil` after the last one.
  ///
  /// - Throws: ``UnpackingError``, or what the source throws.
  package func next() throws -> [UInt8]? {
    while true {
      if rest.isEmpty { try fill() }
      let method = try self.method ?? begin()
      if rest.isEmpty, Self.isComplete(method) { return nil }
      let isLast = rest.isEmpty
      // Without input what is left in the unpacker's own memory comes out.
      let piece = try unpack(method)
      if !piece.isEmpty { return piece }
      if isLast { throw UnpackingError(description: "the packed text ends in the middle") }
    }
  }

  private func fill() throws {
    guard !isAtEnd else { return }
    let count = try input.withUnsafeMutableBytes { try read($0) }
    isAtEnd = count == 0
    rest = 0..<count
  }

  /// Finds out from the first bytes how the text is packed.
  private func begin() throws -> Method {
    while rest.count < 4, !isAtEnd {
      let end = rest.upperBound
      let count = try input.withUnsafeMutableBytes {
        try read(UnsafeMutableRawBufferPointer(rebasing: $0[end...]))
      }
      isAtEnd = count == 0
      rest = rest.lowerBound..<end + count
    }
    let method: Method =
      if ZstdUnpacking.begins(input[rest]) {
        .zstd(try ZstdUnpacking())
      } else if GzipUnpacking.begins(input[rest]) {
        .gzip(try GzipUnpacking())
      } else {
        .none
      }
    self.method = method
    return method
  }

  private func unpack(_ method: Method) throws -> [UInt8] {
    switch method {
    case .none:
      defer { rest = rest.upperBound..<rest.upperBound }
      return Array(input[rest])
    case .zstd(let unpacking): return try unpacking.unpack(input, &rest)
    case .gzip(let unpacking): return try unpacking.unpack(input, &rest)
    }
  }

  private static func isComplete(_ method: Method) -> Bool {
    switch method {
    case .none: true
    case .zstd(let unpacking): unpacking.isComplete
    case .gzip(let unpacking): unpacking.isComplete
    }
  }
}

/// Why packed text cannot be unpacked.
package struct UnpackingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with it.
  package let description: String
}
