/// Steps through the lines of a catalog, of which it holds a piece at a time.
struct CatalogLines {
  /// A line with its end, or what stands behind the last whole one.
  struct Line {
    /// Its bytes; of one that is longer than any line may be, as many as show that it is.
    var bytes: [UInt8] = []
    /// How many bytes it has.
    var count = 0
    /// The digest of all of them.
    var digest: ArchiveDigest { hasher.digest }
    private var hasher = ArchiveHasher()

    fileprivate mutating func append(_ part: ArraySlice<UInt8>) {
      bytes += part.prefix(ArchiveFormat.catalogLineLimit + 1 - bytes.count)
      count += part.count
      part.withUnsafeBytes { hasher.update($0) }
    }
  }

  private static let pieceSize: Int64 = 1 << 18

  private let size: Int64
  private let read: (Int64, Int) throws(ArchiveError) -> [UInt8]
  private var offset: Int64 = 0
  private var piece: ArraySlice<UInt8> = []
  /// What stands behind the last whole line, once there is no line any more.
  private(set) var rest = Line()

  /// The lines of a file.
  ///
  /// - Throws: ``ArchiveError``, also where it is larger than a catalog can be.
  init(path: String) throws(ArchiveError) {
    let file = try ArchiveFile(path: path)
    try ArchiveFile.check(file.size, of: path, limit: ArchiveFormat.catalogLimit)
    size = file.size
    read = { offset, count throws(ArchiveError) in try file.read(at: offset, count: count) }
  }

  /// The lines of a text.
  init(_ bytes: [UInt8]) {
    size = Int64(bytes.count)
    read = { Array(bytes[Int($0)..<Int($0) + $1]) }
  }

  /// The next line; `nil` after the last whole one.
  mutating func next() throws(ArchiveError) -> Line? {
    var line = Line()
    while true {
      if piece.isEmpty {
        let count = min(size - offset, Self.pieceSize)
        guard count > 0 else {
          rest = line
          return nil
        }
        piece = try read(offset, Int(count))[...]
        offset += count
      }
      guard let end = piece.firstIndex(of: UInt8(ascii: "\n")) else {
        line.append(piece)
        piece = []
        continue
      }
      line.append(piece[...end])
      piece = piece[(end + 1)...]
      return line
    }
  }
}
