import StoreFormat

extension StoreSave {
  /// About how many bytes the save takes where it is written down.
  var roughLength: Int {
    (inserted + updated).reduce(deleted.count * 16) { sum, part in
      let content = part.content
      return sum + 64 + content.values.reduce(0) { $0 + 8 + $1.value.roughLength }
        + content.toOne.count * 16 + content.toMany.reduce(0) { $0 + 8 + $1.value.count * 16 }
    }
  }
}

extension StoredValue {
  fileprivate var roughLength: Int {
    switch self {
    case .null: 1
    case .integer, .real: 8
    case .text(let text): text.utf8.count
    case .malformedText(let bytes), .blob(let bytes): bytes.count
    }
  }
}
