/// Where the values stand in all change records with the same header.
///
/// The header of a record holds the types and lengths of its fields. Only a few dozen different ones
/// are among a million changes, so each is worked out once.
struct ChangeRecordShape {
  /// The bytes of a header that can be told apart; a longer one is worked out each time.
  static let mostHeaderBytes = 24

  /// The place of an integer.
  struct IntegerPlace {
    /// The distance to the record's first byte.
    private let offset: Int32
    /// How far the eight bytes from there are to be shifted; 64 for a value that takes no byte.
    private let shift: Int32
    private let constant: Int64

    /// Nil for a field that is no integer.
    init?(_ field: RecordFields.Field, in record: TreeRecord) {
      let bits: Int32
      switch field.type {
      case 1...6: bits = Int32(field.count) * 8
      case 8, 9: bits = 0
      default: return nil
      }
      offset = Int32(field.start - record.start)
      shift = 64 - bits
      constant = field.type == 9 ? 1 : 0
    }

    /// The value in a record of this shape.
    @inline(__always)
    func value(in start: UnsafeRawPointer) -> Int64 {
      guard shift < 64 else { return constant }
      let bytes = start.loadUnaligned(fromByteOffset: Int(offset), as: UInt64.self)
      return Int64(bitPattern: UInt64(bigEndian: bytes)) &>> Int64(shift)
    }
  }

  let kind: IntegerPlace
  let entityNumber: IntegerPlace
  let primaryKey: IntegerPlace
  let transaction: IntegerPlace
  let own: IntegerPlace?
  /// Where the mask begins, and its length; nil where the record has none.
  let mask: (offset: Int32, count: Int32)?
  /// Whether the deleted object left anything behind.
  let hasTombstone: Bool
  /// Whether a column holds something in which the frameworks write nothing.
  let hasUnexpected: Bool
  /// How many bytes the values reach to.
  private let byteCount: Int

  /// Works out a record; nil for one that is not what the frameworks write.
  ///
  /// - Throws: ``RowsOutOfOrder`` where the numbers of the table's rows are not those of the changes.
  init?(_ record: TreeRecord, _ pages: ChangePages) throws {
    guard var fields = RecordFields(record) else { return nil }
    var integers: [ChangePages.Role: IntegerPlace] = [:]
    var mask: (offset: Int32, count: Int32)?
    var hasTombstone = false
    var hasUnexpected = false
    var index = 0
    var byteCount = 0
    while let field = fields.next() {
      guard index < pages.roles.count else { return nil }
      let role = pages.roles[index]
      switch role {
      // The number stands before the record. A field that holds it all the same belongs to a table
      // whose rows have numbers of another kind.
      case .number: guard field.isNull else { throw RowsOutOfOrder() }
      case .kind, .entity, .primaryKey, .transaction, .own:
        guard let place = IntegerPlace(field, in: record) else { return nil }
        integers[role] = place
      case .mask:
        guard !field.isNull else { break }
        guard let bytes = field.blob else { return nil }
        mask = (Int32(field.start - record.start), Int32(bytes.count))
      case .tombstone: if !field.isNull { hasTombstone = true }
      case .unexpected: if !field.isNull { hasUnexpected = true }
      }
      byteCount = field.start - record.start + field.count
      index += 1
    }
    guard fields.isAtEnd, let kind = integers[.kind], let entity = integers[.entity],
      let primaryKey = integers[.primaryKey], let transaction = integers[.transaction],
      integers[.own] != nil || !pages.roles.contains(.own)
    else { return nil }
    self.kind = kind
    entityNumber = entity
    self.primaryKey = primaryKey
    self.transaction = transaction
    own = integers[.own]
    self.mask = mask
    self.hasTombstone = hasTombstone
    self.hasUnexpected = hasUnexpected
    self.byteCount = byteCount
  }

  /// Whether the values of a record with this header are all there.
  @inline(__always)
  func fits(_ record: TreeRecord) -> Bool { byteCount <= record.count }

  /// The mask of a record of this shape.
  @inline(__always)
  func mask(in start: UnsafeRawPointer) -> ColumnMask? {
    mask.map {
      ColumnMask(
        bytes: UnsafeRawBufferPointer(start: start + Int($0.offset), count: Int($0.count)))
    }
  }
}
