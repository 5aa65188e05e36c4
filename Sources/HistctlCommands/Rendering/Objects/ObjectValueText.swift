import PersistentHistory
import StoreFormat
import Terminal

/// Writes the present values of objects for people.
enum ObjectValueText {
  /// A value; data and very long texts are told by their size.
  static func cell(_ value: PresentObject.Value) -> TableCell {
    if let file = value.externalFile { return TableCell("in the file \(file)", style: .secondary) }
    if let size = value.byteCount, value.isLeftOut || value.isData {
      return TableCell("\(size.grouped) bytes", style: .secondary)
    }
    if value.value.isNull { return TableCell("nil", style: .secondary) }
    return TableCell(
      ChangeText.value(value.value, of: value.type, longest: ChangeText.longText))
  }

  /// The object that a relationship leads to.
  static func cell(_ reference: PresentObject.Reference) -> TableCell {
    guard let key = reference.primaryKey else { return TableCell("nil", style: .secondary) }
    return TableCell("\(reference.entityName ?? "?")/p\(key)", style: .token)
  }
}
