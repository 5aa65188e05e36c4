/// The fields that the records of a format can have, in the order in which they are written.
///
/// Cases are numbered from 0 and are at most 64.
protocol RecordField: CaseIterable, RawRepresentable<Int>, Sendable {
  /// The format whose records have the field.
  static var format: ExportFormat { get }
  /// The field's name in a record.
  var name: String { get }
}

extension RecordField {
  /// The name of the case.
  var name: String { String(describing: self) }

  /// The names of all fields.
  static var names: [String] { allCases.map(\.name) }
}

/// The fields that records keep.
struct FieldSelection<Field: RecordField>: Sendable {
  private var bits: UInt64

  /// A selection by name; nil selects every field.
  init(_ names: [String]?) throws(ExportFormatError) {
    guard let names else {
      self = .all
      return
    }
    guard !names.isEmpty else { throw .noFields(format: Field.format) }
    bits = 0
    for name in names {
      guard let field = Field.allCases.first(where: { $0.name == name }) else {
        throw .unknownField(name: name, format: Field.format)
      }
      insert(field)
    }
  }

  private init(bits: UInt64) { self.bits = bits }

  /// Every field.
  static var all: FieldSelection { FieldSelection(bits: .max) }

  /// No field.
  static var none: FieldSelection { FieldSelection(bits: 0) }

  /// Adds a field.
  mutating func insert(_ field: Field) { bits |= 1 << UInt64(field.rawValue) }

  /// Whether records keep a field.
  @inline(__always)
  func contains(_ field: Field) -> Bool { bits & (1 << UInt64(field.rawValue)) != 0 }
}
