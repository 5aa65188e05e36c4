/// The content of a column whose attribute may keep large values in files beside the store.
///
/// The first byte is 1 before the value itself, and 2 before the name of a file, which ends with a byte of 0.
/// Two independent readers of the address book's Core Data store agree on this.
package enum LargeValueColumn: Hashable, Sendable {
  case inline([UInt8])
  case file(LargeValueName)

  package enum Malformed: Error, Hashable {
    case firstByte(UInt8?)
    case name
  }

  private static let inlineMark: UInt8 = 1
  private static let fileMark: UInt8 = 2
  /// How many bytes of a column are enough to tell whether it names a file.
  package static let nameLength = UUIDText.byteCount + 3
  /// A longer column names no file, even if later versions store more after the name.
  package static let longestName = 512

  /// The maximum length of a value that is kept in the column itself.
  ///
  /// A reader does not need it, because of the first byte. Published limits of the frameworks differ:
  /// 128 KiB measured in 2015 (<https://github.com/couchbase/couchbase-lite-ios/issues/526>), 1 MB in
  /// 2011 (<https://bluecrowbar.com/blog/2011/08/coredata-external.html>).
  package static let longestInline = 128 << 10

  /// Whether a column holds the value itself, after its first byte.
  package static func isInline(_ bytes: [UInt8]) -> Bool { bytes.first == inlineMark }

  package init(_ bytes: [UInt8]) throws(Malformed) {
    switch bytes.first {
    case Self.inlineMark: self = .inline(Array(bytes.dropFirst()))
    case Self.fileMark:
      let rest = bytes.dropFirst()
      let name = rest.prefix { $0 != 0 }
      // Nothing may follow the name but its end.
      guard rest.count - name.count <= 1, let name = LargeValueName(name) else { throw .name }
      self = .file(name)
    case let byte: throw .firstByte(byte)
    }
  }

  package var stored: StoredValue {
    switch self {
    case .inline(let bytes): .blob([Self.inlineMark] + bytes)
    case .file(let name): .blob([Self.fileMark] + Array(name.text.utf8) + [0])
    }
  }
}

extension LargeValueColumn.Malformed {
  var text: String {
    switch self {
    case .firstByte(let byte?): "it begins with the byte \(byte) instead of 1 or 2"
    case .firstByte(nil): "it has no first byte, which must be 1 or 2"
    case .name: "it names a file by what is no UUID"
    }
  }
}

extension ManagedAttribute {
  /// Whether values may be in files, and the column begins with a byte that says so.
  ///
  /// The meaning of the flag for other types than data is unknown.
  package var keepsLargeValues: Bool { allowsExternalStorage && type == .binaryData }
}

/// The name of a file that holds a large value: a UUID in text form.
///
/// Any other name is rejected, so that no name leads out of the folder.
package struct LargeValueName: Hashable, Sendable {
  package let text: String

  package static func random() -> LargeValueName {
    LargeValueName(trusted: StoreIdentifier.random())
  }

  private init(trusted text: String) { self.text = text }

  /// Reads a name, or returns `nil` for other bytes. The frameworks write capital letters; small ones name
  /// another file in a case-sensitive file system.
  init?(_ bytes: some Collection<UInt8>) {
    guard UUIDText.isUUID(bytes) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }
}
