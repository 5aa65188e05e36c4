import DurableFiles
import GRDB
import PropertyLists
import StoreFormat
import StoreTransactions

/// The part of a save to several stores that one store is to get, in a file beside it until the save is
/// certain.
///
/// The file is written under the store's write lock. When the writer releases the lock, the part is
/// committed, or the writer was killed before, or the file is obsolete. So a program that holds the lock
/// and finds the file either completes the save or removes the file.
struct JointSaveRecord: Equatable, Sendable {
  /// A transaction of a store.
  struct Place: Equatable, Sendable {
    /// The path of the store; only its name if it is in the same folder.
    var path: String
    var storeIdentifier: String
    var number: Int64
    var timestamp: StoreTimestamp

    /// Whether both are the same transaction, whatever their times.
    func isSame(as other: Place) -> Bool {
      storeIdentifier == other.storeIdentifier && number == other.number
    }

    /// Returns whether the transaction was committed; `nil` if the history no longer shows it.
    ///
    /// A transaction that was written again because others have saved meanwhile has a higher number and
    /// the same time.
    func isSaved(_ statement: StatementRunner) throws -> Bool? {
      guard try StoreMetadata.identifier(statement) == storeIdentifier else { return nil }
      let found = try statement.integer(
        "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK >= ? AND ZTIMESTAMP = ?",
        [.integer(number), .real(timestamp.secondsSinceReferenceDate)])
      if found != nil { return true }
      guard number <= (try Self.highestNumber(statement)) else { return false }
      let oldest = try statement.integer("SELECT min(Z_PK) FROM ATRANSACTION")
      return number < oldest ?? .max ? nil : false
    }

    /// Returns the highest transaction number that the store ever issued, as far as it knows.
    static func highestNumber(_ statement: StatementRunner) throws -> Int64 {
      let issued = try statement.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        [.integer(EntityNumbering.HistoryEntity.transaction.rawValue)])
      let present = try statement.integer("SELECT max(Z_PK) FROM ATRANSACTION")
      return max(issued ?? 0, present ?? 0)
    }
  }

  var own: Place
  /// The transaction that decides: if it exists, the save has happened.
  var deciding: Place
  var save: StoreSave

  // MARK: - The file

  static func path(beside location: StoreLocation) -> String {
    location.resolvedPath + "-unfinished-save"
  }

  static func unfinished(beside location: StoreLocation, _ detail: String) -> StoreWriteError {
    .unfinishedJointSave(
      path: location.path, record: path(beside: location), detail: detail)
  }

  static func exists(beside location: StoreLocation) -> Bool {
    FileMove.entry(at: path(beside: location)) != .none
  }

  /// The maximum content of a file; the same for reading and writing.
  struct Limits {
    var bytes = 1 << 30
    /// Values and names of the property list, however few bytes they take.
    var values = 1 << 25
  }

  /// Writes the file, and waits until it is safe on the disk.
  func write(beside location: StoreLocation, limits: Limits = Limits()) throws {
    let path = Self.path(beside: location)
    var record = self
    let folder = location.folder + "/"
    if deciding.path.utf8.starts(with: folder.utf8) {
      let name = String(decoding: deciding.path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
      if !name.utf8.contains(UInt8(ascii: "/")) { record.deciding.path = name }
    }
    do {
      func check(_ count: Int, _ limit: Int, _ unit: String) throws {
        guard count <= limit else {
          throw StoreWriteError.unwritable(
            path: path,
            reason:
              "a part of a save to several stores has \(count) \(unit), and at most \(limit) can be "
              + "recorded beside its store; save less at once, or save to the stores one by one")
        }
      }
      let list = record.propertyList
      try check(list.nodeCount, limits.values, "values")
      let bytes = try BinaryPropertyListWriter.bytes(of: list)
      try check(bytes.count, limits.bytes, "bytes")
      let draft = try DraftFile(
        path: path, permissions: location.filePermissions(), overwrites: true)
      try bytes.withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch {
      throw error as? StoreWriteError ?? .unwritable(path: path, reason: "\(error)")
    }
  }

  /// Reads the file; returns `nil` if there is none.
  static func read(
    beside location: StoreLocation, limits: Limits = Limits()
  ) throws -> JointSaveRecord? {
    guard exists(beside: location) else { return nil }
    do {
      let bytes = try ForeignFile(path: path(beside: location)).read(
        longest: limits.bytes, besides: StoreOwnFiles(location))
      // The writer uses at least one byte for each value.
      let list = try PropertyListValue(
        propertyList: bytes,
        limits: PropertyListLimits(
          nodes: min(bytes.count, limits.values), depth: PropertyListLimits.standard.depth))
      return try JointSaveRecord(propertyList: list)
    } catch {
      // The program that is saving has removed it since.
      if let problem = error as? FileProblem, problem.isMissing { return nil }
      throw unfinished(beside: location, (error as? FileProblem)?.reason ?? "\(error)")
    }
  }

  static func remove(beside location: StoreLocation) {
    FileStatus.remove(path(beside: location))
  }

  /// Returns whether the deciding store has its part.
  func isComplete(beside location: StoreLocation, busyTimeout: Double) throws -> Bool {
    let path = deciding.path.hasPrefix("/") ? deciding.path : location.folder + "/" + deciding.path
    func cannot(_ detail: String) -> StoreWriteError {
      Self.unfinished(
        beside: location,
        "whether the save has happened can only be read from \(path): \(detail)")
    }
    do {
      let store = try StoreFile(path: path, busyTimeout: busyTimeout)
      let isSaved = try store.readDatabase { try deciding.isSaved(StatementRunner($0)) }
      guard let isSaved else { throw cannot("it is another store, or its history was deleted") }
      return isSaved
    } catch let error as StoreError {
      throw cannot(error.message)
    }
  }
}

// MARK: - Property list

/// The property list does not have the form that ``JointSaveRecord/propertyList`` writes.
private struct MalformedRecord: Error, CustomStringConvertible {
  var description: String { "it was not written by a save to several stores" }
}

private func need<Value>(_ value: Value?) throws(MalformedRecord) -> Value {
  guard let value else { throw MalformedRecord() }
  return value
}

extension PropertyListValue {
  fileprivate subscript(name: String) -> PropertyListValue? { dictionary?[name] }

  /// The number of values and names in it.
  fileprivate var nodeCount: Int {
    switch self {
    case .array(let elements): elements.reduce(1) { $0 + $1.nodeCount }
    case .dictionary(let values): values.values.reduce(1 + values.count) { $0 + $1.nodeCount }
    default: 1
    }
  }
}

extension JointSaveRecord {
  /// Version 1 has no added destinations.
  private static let version: Int64 = 2

  var propertyList: PropertyListValue {
    .dictionary([
      "version": .integer(Self.version), "own": own.propertyList,
      "deciding": deciding.propertyList, "save": save.propertyList,
    ])
  }

  init(propertyList list: PropertyListValue) throws {
    guard let version = list["version"]?.integer, (1...Self.version).contains(version) else {
      throw MalformedRecord()
    }
    self.init(
      own: try Place(need(list["own"])), deciding: try Place(need(list["deciding"])),
      save: try StoreSave(need(list["save"])))
  }
}

extension JointSaveRecord.Place {
  fileprivate var propertyList: PropertyListValue {
    .dictionary([
      "path": .string(path), "store": .string(storeIdentifier), "number": .integer(number),
      "timestamp": .real(timestamp.secondsSinceReferenceDate),
    ])
  }

  fileprivate init(_ list: PropertyListValue) throws {
    self.init(
      path: try need(list["path"]?.string), storeIdentifier: try need(list["store"]?.string),
      number: try need(list["number"]?.integer),
      timestamp: .init(secondsSinceReferenceDate: try need(list["timestamp"]?.real)))
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

  fileprivate init(_ list: PropertyListValue) throws {
    func objects(_ name: String) throws -> [(object: StoreObject, content: ObjectContent)] {
      try need(list[name]?.array).map { pair in
        guard let pair = pair.array, pair.count == 2 else { throw MalformedRecord() }
        return (try StoreObject(pair[0]), try ObjectContent(pair[1]))
      }
    }
    let header = try need(list["header"])
    func text(_ role: StringRole) -> String? { header["\(role)"]?.string }
    self.init(
      header: TransactionHeader(
        author: text(.author), bundle: text(.bundle), process: text(.process),
        context: text(.context),
        timestamp: .init(secondsSinceReferenceDate: try need(list["timestamp"]?.real))),
      inserted: try objects("inserted"), updated: try objects("updated"),
      deleted: try need(list["deleted"]?.array).map { try StoreObject($0) })
    toleratesDeletions = list["toleratesDeletions"]?.boolean ?? false
  }
}

extension StoreObject {
  fileprivate var propertyList: PropertyListValue {
    switch place {
    case .stored(let key): .array([.string(entityName), .integer(key), .boolean(false)])
    case .inserted(let number):
      .array([.string(entityName), .integer(Int64(number)), .boolean(true)])
    }
  }

  fileprivate init(_ list: PropertyListValue) throws {
    guard let parts = list.array, parts.count == 3, let name = parts[0].string,
      let number = parts[1].integer, let isInserted = parts[2].boolean
    else { throw MalformedRecord() }
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
      "toOne": .dictionary(toOne.mapValues { $0?.propertyList ?? .null }),
      "toMany": .dictionary(toMany.mapValues { .array($0.map(\.propertyList)) }),
      "added": .dictionary(added.mapValues { .array($0.map(\.propertyList)) }),
    ])
  }

  fileprivate init(_ list: PropertyListValue) throws {
    values = try need(list["values"]?.dictionary).mapValues { try StoredValue($0) }
    toOne = try need(list["toOne"]?.dictionary).mapValues {
      $0 == .null ? nil : try StoreObject($0)
    }
    func lists(_ list: [String: PropertyListValue]) throws -> [String: [StoreObject]] {
      try list.mapValues { try need($0.array).map { try StoreObject($0) } }
    }
    toMany = try lists(need(list["toMany"]?.dictionary))
    added = try lists(list["added"]?.dictionary ?? [:])
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

  fileprivate init(_ list: PropertyListValue) throws {
    switch list {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .data(let bytes): self = .blob(bytes)
    case .array(let parts) where parts.count == 1:
      self = .malformedText(try need(parts[0].data))
    default: throw MalformedRecord()
    }
  }
}
