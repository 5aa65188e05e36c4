import Foundation
import StoreFormat

/// Translates an order into the terms of a store.
enum SortTranslation {
  /// - Throws: ``DataStoreError/preferInMemorySort`` where SQLite would sort otherwise, or cannot.
  static func order<T: PersistentModel>(
    _ descriptor: SortDescriptor<T>, layout: EntityLayout
  ) throws -> ObjectFetch.Order {
    guard let keyPath = descriptor.keyPath else { throw DataStoreError.preferInMemorySort }
    // Words are sorted as people do only in memory; SQLite goes by their bytes.
    if let comparator = descriptor.stringComparator, comparator != .lexical {
      throw DataStoreError.preferInMemorySort
    }
    let isAscending = descriptor.order == .forward
    let object = ObjectPath(variable: 0)
    if let index = layout.indexIfAny(of: keyPath),
      case .plain? = layout.properties[index].codec?.storage,
      !layout.properties[index].isTransient, !layout.properties[index].keepsLargeValues
    {
      return ObjectFetch.Order(
        .attribute(object, layout.properties[index].name), isAscending: isAscending)
    }
    if layout.isIdentifier(keyPath) {
      return ObjectFetch.Order(.primaryKey(object), isAscending: isAscending)
    }
    throw DataStoreError.preferInMemorySort
  }
}
