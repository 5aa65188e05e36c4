/// What the column of an attribute says whose large values stand in files beside the store.
///
/// The first byte tells: 1 before the value itself, 2 before the name of a file, which ends with a
/// byte of 0. Two independent readers of the address book's store, which is one of Core Data's, say
/// the same of its pictures.
package enum LargeValueColumn: Hashable, Sendable {
  /// The value itself.
  case inline([UInt8])
  /// The file that holds it.
  case file(LargeValueName)

  /// Why a column says neither.
  package enum Malformed: Error, Hashable {
    case firstByte(UInt8?)
    case name
  }

  private static let inlineMark: UInt8 = 1
  private static let fileMark: UInt8 = 2
  /// How many bytes of a column are enough to tell whether it names a file.
  package static let nameLength = LargeValueName.length + 3
  /// A column of more bytes names no file, whatever else may stand behind the name one day.
  package static let longestName = 512

  /// The longest value that stands in the column.
  ///
  /// A reader need not know it, for the first byte tells. What is published of the frameworks differs:
  /// 128 KiB measured in 2015 (<https://github.com/couchbase/couchbase-lite-ios/issues/526>), 1 MB in
  /// 2011 (<https://bluecrowbar.com/blog/2011/08/coredata-external.html>).
  package static let longestInline = 128 << 10

  package init(_ bytes: [UInt8]) throws(Malformed) {
    switch bytes.first {
    case Self.inlineMark: self = .inline(Array(bytes.dropFirst()))
    case Self.fileMark:
      let rest = bytes.dropFirst()
      let name = rest.prefix { $0 != 0 }
      // Behind the name nothing may follow but its end.
      guard rest.count - name.count <= 1, let name = LargeValueName(name) else { throw .name }
      self = .file(name)
    case let byte: throw .firstByte(byte)
    }
  }

  /// What the column holds.
  package var stored: StoredValue {
    switch self {
    case .inline(let bytes): .blob([Self.inlineMark] + bytes)
    case .file(let name): .blob([Self.fileMark] + Array(name.text.utf8) + [0])
    }
  }
}

extension LargeValueColumn.Malformed {
  /// What is wrong, in words.
  package var text: String {
    switch self {
    case .firstByte(let byte?): "it begins with the byte \(byte) instead of 1 or 2"
    case .firstByte(nil): "it has no first byte, which must be 1 or 2"
    case .name: "it names a file by what is no UUID"
    }
  }
}

extension ManagedAttribute {
  /// Whether values may stand in files of their own, and the column begins with a byte that tells.
  ///
  /// What the flag means for values that are no data is not known.
  package var keepsLargeValues: Bool { allowsExternalStorage && type == .binaryData }
}
