import GRDB
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a store is to get of a save to several stores, in a file beside it for as long as that is not
/// certain.
///
/// The file is there only while somebody holds the store's write lock, or when its writer has ended
/// before all was done; so whoever holds the lock and finds it is to complete it.
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
      storeIdentifier = try Self.identifier(StatementRunner(database))
      self.number = number
      self.timestamp = timestamp
    }

    init(path: String, storeIdentifier: String, number: Int64, timestamp: StoreTimestamp) {
      self.path = path
      self.storeIdentifier = storeIdentifier
      self.number = number
      self.timestamp = timestamp
    }

    static func identifier(_ statement: StatementRunner) throws -> String {
      let rows = try statement.rows("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      guard case .text(let identifier)? = rows.first?.first else { return "" }
      return identifier
    }

    /// Whether the transaction was committed; nil where the history does not tell any more.
    ///
    /// One that was written once more, because others have saved meanwhile, has a higher number and the
    /// same time.
    func isSaved(_ statement: StatementRunner) throws -> Bool? {
      guard try Self.identifier(statement) == storeIdentifier else { return nil }
      let found = try statement.integer(
        "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK >= ? AND ZTIMESTAMP = ?",
        [.integer(number), .real(timestamp.secondsSinceReferenceDate)])
      if found != nil { return true }
      let highest = try statement.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        [.integer(EntityNumbering.HistoryEntity.transaction.rawValue)])
      guard number <= highest ?? 0 else { return false }
      let oldest = try statement.integer("SELECT min(Z_PK) FROM ATRANSACTION")
      return number < oldest ?? .max ? nil : false
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

  /// Writes the file, safe on the disk.
  func write(beside location: StoreLocation) throws {
    let path = Self.path(beside: location)
    var record = self
    let folder = location.folder + "/"
    if deciding.path.hasPrefix(folder), !deciding.path.dropFirst(folder.count).contains("/") {
      record.deciding.path = String(deciding.path.dropFirst(folder.count))
    }
    do {
      let draft = try DraftFile(
        path: path, permissions: location.filePermissions(), overwrites: true)
      let bytes = try BinaryPropertyListWriter.bytes(of: record.propertyList)
      try bytes.withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch {
      throw StoreWriteError.unwritable(path: path, reason: "\(error)")
    }
  }

  /// The file's content; nil where there is none.
  static func read(beside location: StoreLocation) throws -> JointSaveRecord? {
    guard exists(beside: location) else { return nil }
    let path = path(beside: location)
    func damaged(_ detail: String) -> StoreWriteError {
      .unfinishedJointSave(path: location.path, record: path, detail: detail)
    }
    let bytes: [UInt8]
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      defer { try? file.close() }
      let size = Int(clamping: try FileStatus(path: path)?.size ?? 0)
      guard size <= longestFile else { throw damaged("it has \(size) bytes") }
      bytes = try file.readPrefix(size)
    } catch let error as StoreWriteError {
      throw error
    } catch {
      throw damaged("\(error)")
    }
    do {
      // What the writer makes names each value in a byte at least.
      let list = try PropertyListValue(
        propertyList: bytes,
        limits: PropertyListLimits(
          nodes: bytes.count, depth: PropertyListLimits.standard.depth))
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

  private static let longestFile = 1 << 30

  /// Where the store is whose transaction decides.
  func decidingPath(for location: StoreLocation) -> String {
    deciding.path.hasPrefix("/") ? deciding.path : location.folder + "/" + deciding.path
  }
}
