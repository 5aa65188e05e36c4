/// Which framework a store looks to be written through.
///
/// SwiftData writes Core Data's stores, and nothing in the file says so for certain: what is told
/// here is what the model gives away.
package enum StoreOrigin: Hashable, Sendable {
  /// SwiftData: the model has attributes that only a Swift type can be behind.
  case swiftData
  /// Perhaps SwiftData: the model has a version of three numbers, as every SwiftData schema does.
  case perhapsSwiftData
  /// Core Data, as far as can be seen.
  case coreData

  /// Looks for the traces of SwiftData.
  package init(model: ManagedModel?, metadata: StoreMetadata) {
    let attributes = model?.entities.values.lazy.flatMap(\.attributes)
    if attributes?.contains(where: StoreOrigin.isSwiftOnly) ?? false {
      self = .swiftData
    } else if metadata.modelVersionIdentifiers.contains(where: StoreOrigin.isThreeNumbers) {
      self = .perhapsSwiftData
    } else {
      self = .coreData
    }
  }

  /// A composite attribute, or a class name that is a Swift type's, such as `Array<String>`.
  private static func isSwiftOnly(_ attribute: ManagedAttribute) -> Bool {
    attribute.type == .composite || attribute.valueClassName?.contains("<") ?? false
  }

  private static func isThreeNumbers(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
  }
}
