import DurableFiles
import GRDB
import PropertyLists
import StoreFormat

/// What a store is to get of a save to several stores, in a file beside it for as long as that is not
/// certain.
///
/// It is written under the store's write lock, and by the time its writer lets go of the lock, the part
/// is committed, or it has ended before all was done, or the file is to go; so whoever holds the lock and
/// finds the file is to complete it or to remove it.
struct JointSaveRecord: Hashable, Sendable {
  /// A transaction of a store.
  struct Place: Hashable, Sendable {
    /// Where the store is; its name alone where it stands in the same folder.
    var path: String
    var storeIdentifier: String
    var number: Int64
    var timestamp: StoreTimestamp

    /// The place that a transaction which is being written will have.
    init(
      _ location: StoreLocation, _ number: Int64, _ timestamp: StoreTimestamp,
      in database: Database
    ) throws {
      path = location.resolvedPath
      storeIdentifier = try StoreMetadata.identifier(StatementRunner(database))
      self.number = number
      self.timestamp = timestamp
    }

    init(path: String, storeIdentifier: String, number: Int64, timestamp: StoreTimestamp) {
      self.path = path
      self.storeIdentifier = storeIdentifier
      self.number = number
      self.timestamp = timestamp
    }

    /// Whether both are to be the same transaction, whatever their times.
    func isSame(as other: Place) -> Bool {
      storeIdentifier == other.storeIdentifier && number == other.number
    }

    /// Whether the transaction was committed; nil where the history does not tell any more.
    ///
    /// One that was written once more, because others have saved meanwhile, has a higher number and the
    /// same time.
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

    /// The highest number that a transaction of the store was ever given, as far as the store knows.
    static func highestNumber(_ statement: StatementRunner) throws -> Int64 {
      let issued = try statement.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        [.integer(EntityNumbering.HistoryEntity.transaction.rawValue)])
      let present = try statement.integer("SELECT max(Z_PK) FROM ATRANSACTION")
      return max(issued ?? 0, present ?? 0)
    }
  }

  /// The transaction that the store is to get.
  var own: Place
  /// The transaction that decides: where it is, the save has happened.
  var deciding: Place
  /// What is to be written.
  var save: StoreSave

  // MARK: - The file

  /// Where the file of a store is.
  static func path(beside location: StoreLocation) -> String {
    location.resolvedPath + "-unfinished-save"
  }

  /// Whether there is a file.
  static func exists(beside location: StoreLocation) -> Bool {
    FileMove.entry(at: path(beside: location)) != .none
  }

  /// How much a file may hold: what could not be read again must not be written either.
  struct Limits {
    var bytes = 1 << 30
    /// Values and names of a property list, however few bytes they take.
    var values = 1 << 25
  }

  /// Writes the file, safe on the disk.
  func write(beside location: StoreLocation, limits: Limits = Limits()) throws {
    let path = Self.path(beside: location)
    var record = self
    let folder = location.folder + "/"
    if deciding.path.hasPrefix(folder), !deciding.path.dropFirst(folder.count).contains("/") {
      record.deciding.path = String(deciding.path.dropFirst(folder.count))
    }
    do {
      let list = record.propertyList
      // Of much data it need not be tried first.
      try limits.check(list.weight)
      let bytes = try BinaryPropertyListWriter.bytes(of: list)
      try limits.check((bytes.count, 0))
      let draft = try DraftFile(
        path: path, permissions: location.filePermissions(), overwrites: true)
      try bytes.withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch let error as StoreWriteError {
      throw error
    } catch {
      throw StoreWriteError.unwritable(path: path, reason: "\(error)")
    }
  }

  /// The file's content; nil where there is none.
  static func read(
    beside location: StoreLocation, limits: Limits = Limits()
  ) throws -> JointSaveRecord? {
    guard exists(beside: location) else { return nil }
    let path = path(beside: location)
    func damaged(_ detail: String) -> StoreWriteError {
      .unfinishedJointSave(path: location.path, record: path, detail: detail)
    }
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try ForeignFile(path: path).read(
        longest: limits.bytes, besides: StoreOwnFiles(location))
    } catch {
      // Whoever is saving has removed it meanwhile.
      if error.isMissing { return nil }
      throw damaged(error.reason)
    }
    do {
      // What the writer makes names each value in a byte at least.
      let list = try PropertyListValue(
        propertyList: bytes,
        limits: PropertyListLimits(
          nodes: min(bytes.count, limits.values), depth: PropertyListLimits.standard.depth))
      guard let record = JointSaveRecord(propertyList: list) else {
        throw damaged("it is not what a save leaves there")
      }
      return record
    } catch let error as PropertyListError {
      throw damaged("\(error)")
    }
  }

  /// Removes the file; nothing happens where there is none.
  static func remove(beside location: StoreLocation) {
    FileStatus.remove(path(beside: location))
  }

  /// Where the store is whose transaction decides.
  func decidingPath(for location: StoreLocation) -> String {
    deciding.path.hasPrefix("/") ? deciding.path : location.folder + "/" + deciding.path
  }
}

extension JointSaveRecord.Limits {
  /// Refuses to write down what is longer.
  fileprivate func check(_ weight: (bytes: Int, values: Int)) throws(Excess) {
    if weight.bytes > bytes { throw Excess(count: weight.bytes, limit: bytes, unit: "bytes") }
    if weight.values > values { throw Excess(count: weight.values, limit: values, unit: "values") }
  }

  /// Why a part of a save cannot be written down.
  fileprivate struct Excess: Error, CustomStringConvertible {
    let count: Int
    let limit: Int
    let unit: String

    var description: String {
      "a part of a save to several stores has \(count) \(unit), and at most \(limit) can be written "
        + "down beside its store; save less at once, or save to the stores one by one"
    }
  }
}

extension PropertyListValue {
  /// How many bytes of long data there are in it and in all that it holds, and how many values and names.
  fileprivate var weight: (bytes: Int, values: Int) {
    switch self {
    case .data(let bytes):
      // What is short may be written once for several.
      return (bytes.count > BinaryPropertyListWriter.longestShared ? bytes.count : 0, 1)
    case .array(let elements):
      return elements.reduce(into: (0, 1)) { sum, element in
        let weight = element.weight
        sum = (sum.0 + weight.bytes, sum.1 + weight.values)
      }
    case .dictionary(let values):
      return values.values.reduce(into: (0, 1 + values.count)) { sum, value in
        let weight = value.weight
        sum = (sum.0 + weight.bytes, sum.1 + weight.values)
      }
    default: return (0, 1)
    }
  }
}
