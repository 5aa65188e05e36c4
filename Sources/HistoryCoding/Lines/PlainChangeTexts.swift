import PersistentHistory
import StoreFormat

/// The texts of plain changes and tombstones, by the number of their entity.
struct PlainChangeTexts: Sendable {
  /// The numbers of a model's entities are low; changes of others are written the long way.
  private static let numbers = Int64(0)..<4096

  /// Where in ``texts`` the text of an entity number stands; -1 for one not made yet.
  private var places: [Int] = []
  private var texts: [PlainChangeText] = []

  /// Writes a change; false, and nothing, where it is not plain.
  @inline(__always)
  mutating func append(
    _ row: ChangeCursor, _ reader: HistoryReader, isFirst: Bool, to writer: inout JSONWriter
  ) -> Bool {
    guard row.isPlain || row.lendsTombstone, let number = row.entityNumber,
      let primaryKey = row.primaryKey,
      Self.numbers.contains(number)
    else { return false }
    return texts[place(Int(number), reader)].append(
      row, primaryKey: primaryKey, isFirst: isFirst, to: &writer)
  }

  private mutating func place(_ number: Int, _ reader: HistoryReader) -> Int {
    while places.count <= number { places.append(-1) }
    if places[number] < 0 {
      places[number] = texts.count
      texts.append(PlainChangeText(reader.entity(Int64(number))))
    }
    return places[number]
  }
}
