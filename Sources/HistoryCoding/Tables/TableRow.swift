import StoreFormat

/// The kinds of rows that ``TableRowEncoder`` writes, with their fields in order.
package enum TableRow: UInt8, Sendable {
  /// number, store, timestamp, timestampRaw, author, bundle, process, context, queryGenerationRaw,
  /// extra, partial.
  case transaction
  /// number, transaction, kind, *entity name, entity number, columnsRaw, names of attributes*, pk,
  /// tombstoneRaw, extra.
  case change
  /// change, *entity name, entity number, name of attribute*, value.
  case tombstone
  /// change, *entity name, entity number, name of attribute*, type, source, known, old, oldLength, new,
  /// newLength.
  case value
  /// after, store, oldest.
  case gap
}

/// Reads the rows that ``TableRowEncoder`` has written in this process.
package struct TableRowReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// Reads bytes, which must stay valid.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Goes to the next row; `nil` after the last one. All fields of the row before must have been read.
  package mutating func nextRow() -> TableRow? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return TableRow(rawValue: bytes[position])
  }

  /// Reads a field; `nil` for a null.
  ///
  /// A long value is not in the bytes: it is lent by the encoder until the reader of these bytes returns.
  package mutating func field() -> LentValue? {
    let kind = bytes[position]
    position += 1
    switch kind {
    case TableRowEncoder.integer:
      return .integer(number(as: Int64.self))
    case TableRowEncoder.real:
      return .real(Double(bitPattern: number(as: UInt64.self)))
    case TableRowEncoder.text: return .text(counted())
    case TableRowEncoder.blob: return .blob(counted())
    case TableRowEncoder.lentText: return .text(lent())
    case TableRowEncoder.lentBlob: return .blob(lent())
    default: return nil
    }
  }

  /// Skips fields, and returns their bytes, which are the same for the same values.
  package mutating func skip(_ count: Int) -> UnsafeRawBufferPointer {
    let start = position
    for _ in 0..<count { _ = field() }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  private mutating func number<Number: FixedWidthInteger>(as type: Number.Type) -> Number {
    defer { position += MemoryLayout<Number>.size }
    return bytes.loadUnaligned(fromByteOffset: position, as: type)
  }

  private mutating func lent() -> UnsafeRawBufferPointer {
    let start = UnsafeRawPointer(bitPattern: number(as: UInt.self))
    return UnsafeRawBufferPointer(start: start, count: number(as: Int.self))
  }

  private mutating func counted() -> UnsafeRawBufferPointer {
    let count = number(as: Int.self)
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
  }
}
