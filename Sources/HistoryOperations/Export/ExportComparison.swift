import HistoryArchive

/// Compares what an export writes with an existing file, piece by piece.
///
/// What objects are now differs from run to run, so it is skipped where the file has it.
final class ExportComparison {
  /// The file differs.
  struct Difference: Error {}

  private static let keys = ["current", "currentRaw"].flatMap { name in
    [",", ""].map { Array("\($0)\"\(name)\":{".utf8) }
  }

  private let text: ExportedText
  private let ignoresPresentObjects: Bool
  /// What was read from the file and is not compared yet.
  private var piece: [UInt8] = []
  private var place = 0
  private var isAtEnd = false

  /// - Parameter ignoresPresentObjects: Whether the file may say what objects were when it was written.
  init(path: String, ignoresPresentObjects: Bool) throws {
    text = try ExportedText(path: path)
    self.ignoresPresentObjects = ignoresPresentObjects
  }

  /// Compares the next piece.
  ///
  /// - Throws: ``Difference``, or `ArchiveError` if the file cannot be read.
  func compare(_ bytes: UnsafeRawBufferPointer) throws {
    var start = 0
    while start < bytes.count {
      guard try hasByte() else { throw Difference() }
      let count = min(bytes.count - start, piece.count - place)
      let same = piece.withUnsafeBytes { piece -> Int in
        var same = 0
        while same < count, bytes[start &+ same] == piece[place &+ same] { same &+= 1 }
        return same
      }
      start += same
      place += same
      guard same < count else { continue }
      guard ignoresPresentObjects, bytes[start] == UInt8(ascii: "}"), try skipPresentObject() else {
        throw Difference()
      }
    }
  }

  /// Checks that nothing follows.
  ///
  /// - Throws: As ``compare(_:)``.
  func finish() throws {
    if try hasByte() { throw Difference() }
  }

  private func hasByte() throws -> Bool {
    while place == piece.count, !isAtEnd {
      piece = try text.next() ?? []
      place = 0
      isAtEnd = piece.isEmpty
    }
    return place < piece.count
  }

  /// Skips what an object was, which is the last member of a change; returns `false` if the file has
  /// something else.
  private func skipPresentObject() throws -> Bool {
    let longest = Self.keys.map(\.count).max() ?? 0
    while piece.count - place < longest, let more = try text.next() {
      piece = Array(piece[place...]) + more
      place = 0
    }
    guard let key = Self.keys.first(where: { piece[place...].starts(with: $0) }) else {
      return false
    }
    place += key.count
    var depth = 1
    var isInString = false
    while depth > 0 {
      guard try hasByte() else { return false }
      switch piece[place] {
      case UInt8(ascii: "\\") where isInString:
        place += 1
        guard try hasByte() else { return false }
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{") where !isInString: depth += 1
      case UInt8(ascii: "}") where !isInString: depth -= 1
      default: break
      }
      place += 1
    }
    return true
  }
}
