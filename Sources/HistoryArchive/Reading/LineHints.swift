import HistoryCoding
import PersistentHistory
import StoreFormat

/// Tells of a line, without reading it, that none of its changes can meet a condition.
///
/// A sealed line is written in one way only, so what a change must say stands in it word for word. To
/// look for that is many times sooner done than to read the line.
struct LineHints {
  /// More words than this take longer to look for than the line to read.
  private static let mostWords = 16

  /// Of each of these, one must occur.
  private var alternatives: [[ByteSearch]] = []

  init(_ condition: ChangeCondition) {
    add(condition.kinds.map { [("kind", .string($0.name))] })
    add((condition.entities + condition.exactEntities).map(Self.entity))
    add(condition.objects.map { [("pk", .integer($0.primaryKey))] })
    add(condition.objects.map { Self.entity($0.entityName) })
    add(condition.attributes.map { [("", .string($0))] })
  }

  private static func entity(_ name: String) -> [(String, JSONValue)] {
    [("entity", .string(name))] + (Int64(name).map { [("entityRaw", .integer($0))] } ?? [])
  }

  private mutating func add(_ words: [[(key: String, value: JSONValue)]]) {
    guard !words.isEmpty else { return }
    let words = Set(
      words.joined().map { key, value in
        var writer = JSONWriter()
        if !key.isEmpty { writer.appendRaw(Array("\"\(key)\":".utf8)) }
        writer.append(value)
        return Array(writer.bytes)
      })
    if words.count <= Self.mostWords { alternatives.append(words.map(ByteSearch.init)) }
  }

  /// Whether the line has to be read.
  func mayMatch(_ line: ArraySlice<UInt8>) -> Bool {
    line.withUnsafeBytes { line in
      alternatives.allSatisfy { words in words.contains { $0.occurs(in: line) } }
    }
  }
}
