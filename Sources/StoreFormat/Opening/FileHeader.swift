/// The first hundred bytes of a SQLite database file, as far as opening needs them.
///
/// The fields are those of <https://www.sqlite.org/fileformat2.html#the_database_header>.
package struct FileHeader: Hashable, Sendable {
  /// What a database file begins with.
  package static let mark = Array("SQLite format 3\0".utf8)
  /// How many bytes ``init(_:)`` wants.
  static let length = 100

  /// Whether the file uses a write-ahead log; with a rollback journal, readers keep writers waiting.
  let usesLog: Bool
  /// Counts the changes of the main file; the log keeps its own count.
  let changeCounter: UInt32
  /// The length of a page in bytes; nil where the header holds a length that no page has.
  let pageSize: Int?

  /// Reads a header, or gives nil where the magic text is missing.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= FileHeader.length, bytes.starts(with: FileHeader.mark) else {
      return nil
    }
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    // The longest page does not fit into the two bytes.
    let length = size == 1 ? 65536 : size
    pageSize = length >= 512 && length.nonzeroBitCount == 1 ? length : nil
    usesLog = bytes[18] == 2 || bytes[19] == 2
    changeCounter = bytes[24..<28].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
