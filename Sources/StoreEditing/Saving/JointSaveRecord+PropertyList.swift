import PropertyLists
import StoreFormat

/// A record as a property list.
extension JointSaveRecord {
  private static let version: Int64 = 1

  var propertyList: PropertyListValue {
    .dictionary([
      "version": .integer(Self.version), "own": own.propertyList,
      "deciding": deciding.propertyList, "save": save.propertyList,
    ])
  }

  init?(propertyList list: PropertyListValue) {
    guard list["version"]?.integer == Self.version,
      let own = list["own"].flatMap(Place.init(propertyList:)),
      let deciding = list["deciding"].flatMap(Place.init(propertyList:)),
      let save = list["save"].flatMap(StoreSave.init(propertyList:))
    else { return nil }
    self.init(own: own, deciding: deciding, save: save)
  }
}

extension JointSaveRecord.Place {
  fileprivate var propertyList: PropertyListValue {
    .dictionary([
      "path": .string(path), "store": .string(storeIdentifier), "number": .integer(number),
      "timestamp": .real(timestamp.secondsSinceReferenceDate),
    ])
  }

  fileprivate init?(propertyList list: PropertyListValue) {
    guard let path = list["path"]?.string, let store = list["store"]?.string,
      let number = list["number"]?.integer, let timestamp = list["timestamp"]?.real
    else { return nil }
    self.init(
      path: path, storeIdentifier: store, number: number,
      timestamp: StoreTimestamp(secondsSinceReferenceDate: timestamp))
  }
}

extension StoreSave {
  fileprivate var propertyList: PropertyListValue {
    func list(_ objects: [(object: StoreObject, content: ObjectContent)]) -> PropertyListValue {
      .array(objects.map { .array([$0.object.propertyList, $0.content.propertyList]) })
    }
    var texts: [String: PropertyListValue] = [:]
    for role in StringRole.allCases { texts["\(role)"] = header.text(role).map { .string($0) } }
    return .dictionary([
      "header": .dictionary(texts),
      "timestamp": .real((header.timestamp ?? .now()).secondsSinceReferenceDate),
      "inserted": list(inserted), "updated": list(updated),
      "toleratesDeletions": .boolean(toleratesDeletions),
      "deleted": .array(deleted.map(\.propertyList)),
    ])
  }

  fileprivate init?(propertyList list: PropertyListValue) {
    func objects(
      _ name: String
    ) -> [(object: StoreObject, content: ObjectContent)]? {
      list[name]?.array?.mapped { pair in
        guard let pair = pair.array, pair.count == 2,
          let object = StoreObject(propertyList: pair[0]),
          let content = ObjectContent(propertyList: pair[1])
        else { return nil }
        return (object, content)
      }
    }
    guard let header = list["header"], let timestamp = list["timestamp"]?.real,
      let inserted = objects("inserted"), let updated = objects("updated"),
      let deleted = list["deleted"]?.array?.mapped(StoreObject.init(propertyList:))
    else { return nil }
    func text(_ role: StringRole) -> String? { header["\(role)"]?.string }
    self.init(
      header: TransactionHeader(
        author: text(.author), bundle: text(.bundle), process: text(.process),
        context: text(.context),
        timestamp: StoreTimestamp(secondsSinceReferenceDate: timestamp)),
      inserted: inserted, updated: updated, deleted: deleted)
    toleratesDeletions = list["toleratesDeletions"]?.boolean ?? false
  }
}

extension StoreObject {
  fileprivate var propertyList: PropertyListValue {
    let (number, isInserted) =
      switch place {
      case .stored(let primaryKey): (primaryKey, false)
      case .inserted(let number): (Int64(number), true)
      }
    return .array([.string(entityName), .integer(number), .boolean(isInserted)])
  }

  fileprivate init?(propertyList list: PropertyListValue) {
    guard let parts = list.array, parts.count == 3, let name = parts[0].string,
      let number = parts[1].integer, let isInserted = parts[2].boolean
    else { return nil }
    if isInserted {
      self.init(entityName: name, insertedAs: Int(clamping: number))
    } else {
      self.init(entityName: name, primaryKey: number)
    }
  }
}

extension ObjectContent {
  fileprivate var propertyList: PropertyListValue {
    .dictionary([
      "values": .dictionary(values.mapValues(\.propertyList)),
      "toOne": .dictionary(toOne.mapValues { $0.map(\.propertyList) ?? .null }),
      "toMany": .dictionary(toMany.mapValues { .array($0.map(\.propertyList)) }),
    ])
  }

  fileprivate init?(propertyList list: PropertyListValue) {
    guard let values = list["values"]?.dictionary?.mapped(StoredValue.init(propertyList:)),
      let toOne = list["toOne"]?.dictionary?.mapped({ value -> StoreObject?? in
        if case .null = value { return .some(nil) }
        return StoreObject(propertyList: value).map { .some($0) }
      }),
      let toMany = list["toMany"]?.dictionary?.mapped({
        $0.array?.mapped(StoreObject.init(propertyList:))
      })
    else { return nil }
    self.init(values: values, toOne: toOne, toMany: toMany)
  }
}

extension StoredValue {
  fileprivate var propertyList: PropertyListValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .string(text)
    case .malformedText(let bytes): .array([.data(bytes)])
    case .blob(let bytes): .data(bytes)
    }
  }

  fileprivate init?(propertyList list: PropertyListValue) {
    switch list {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .data(let bytes): self = .blob(bytes)
    case .array(let parts):
      guard parts.count == 1, let bytes = parts[0].data else { return nil }
      self = .malformedText(bytes)
    default: return nil
    }
  }
}

extension PropertyListValue {
  fileprivate subscript(name: String) -> PropertyListValue? { dictionary?[name] }
}

extension Array {
  /// What is made of all elements; nil where it cannot be made of one.
  fileprivate func mapped<Result>(_ transform: (Element) -> Result?) -> [Result]? {
    var results: [Result] = []
    results.reserveCapacity(count)
    for element in self {
      guard let result = transform(element) else { return nil }
      results.append(result)
    }
    return results
  }
}

extension Dictionary {
  /// What is made of all values; nil where it cannot be made of one.
  fileprivate func mapped<Result>(_ transform: (Value) -> Result?) -> [Key: Result]? {
    var results: [Key: Result] = [:]
    for (key, value) in self {
      guard let result = transform(value) else { return nil }
      results[key] = result
    }
    return results
  }
}
