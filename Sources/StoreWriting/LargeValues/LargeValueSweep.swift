import DurableFiles
import GRDB
import Libc
import StoreFormat
import StoreTransactions
import SystemPackage

extension StoreEditor {
  /// The minimum age of a file that a sweep removes, in seconds.
  static let leastAge = 3600

  /// Removes the files of large values that no row names, which killed programs have left.
  ///
  /// Another program may have written a file that no row names yet. Our own programs check under SQLite's
  /// write lock that the file still exists before they name it, and a sweep removes files under the same
  /// lock. For all other programs a file must have a minimum age.
  ///
  /// Rows are read before the lock is taken. A sweep never waits for a lock: if somebody else is writing,
  /// or has written since the rows were read, the next editor sweeps.
  ///
  /// Errors are ignored: files that cannot be checked or removed stay for the next sweep.
  func sweepLargeValues() {
    let folder = LargeValueFolder(location)
    guard isAlone, let opened = try? folder.open() else { return }
    defer { try? opened.close() }
    let newest = Int64(time(nil) - Self.leastAge)
    let old = folder.names(in: opened).filter { name in
      (try? folder.look(at: name, in: opened)).map { $0.modifiedSeconds <= newest } ?? false
    }
    guard !old.isEmpty,
      let queue = try? WritingConnection.open(path: location.resolvedPath, busyTimeout: 0)
    else { return }
    defer { try? queue.close() }
    try? remove(old, from: opened, of: folder, queue)
  }

  /// Removes the files among some that no row names.
  private func remove(
    _ files: [LargeValueName], from opened: FileDescriptor, of folder: LargeValueFolder,
    _ queue: DatabaseQueue
  ) throws {
    func version(_ database: Database) throws -> Int64? {
      try Int64.fetchOne(database, sql: "PRAGMA data_version")
    }
    let schema = knownSchema
    let (named, seen) = try queue.read { database in
      let statement = StatementRunner(database)
      let isCurrent = try schema.isCurrent(statement)
      return (isCurrent ? try schema.largeValueNames(statement) : nil, try version(database))
    }
    // A column of an unknown form may name any of them.
    guard let named, named.isComplete else { return }
    // The file system may not distinguish upper from lower case.
    let names = Set(named.names.map { $0.text.uppercased() })
    let left = files.filter { !names.contains($0.text.uppercased()) }
    // Usually there is nothing to remove, and then no lock is taken.
    guard !left.isEmpty else { return }
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        if try version(database) == seen {
          for name in left { folder.remove(name, from: opened) }
        }
        return .rollback
      }
    }
  }

  /// Whether no other store beside this one differs only in its extension: both would keep their values
  /// in the same folder.
  private var isAlone: Bool {
    let store = FilePath(location.resolvedPath)
    guard let name = store.lastComponent?.string, let stem = store.stem else { return false }
    let own = Set(([""] + StoreLocation.companions).map { name + $0 })
    return !FolderNames.read(location.folder, containing: stem).contains { other in
      !own.contains(other) && FilePath.Component(other)?.stem == stem
    }
  }
}

extension ObjectSchema {
  /// Returns the names of all files that rows name, and whether all columns have a known form.
  func largeValueNames(
    _ statement: StatementRunner
  ) throws -> (names: Set<LargeValueName>, isComplete: Bool) {
    var names: Set<LargeValueName> = []
    var isComplete = true
    for table in tables.tables {
      for column in table.columns
      where model.attribute(of: column)?.allowsExternalStorage ?? false {
        try check(column, of: table)
        let name = quoted(column.name)
        // The length is at the beginning of a row, so overflow pages need not be read.
        let found = try statement.map(
          "SELECT substr(\(name), 1, \(LargeValueColumn.nameLength)) FROM \(quoted(table.name)) "
            + "WHERE typeof(\(name)) = 'blob' AND length(\(name)) <= \(LargeValueColumn.longestName) "
            + "AND substr(\(name), 1, 1) = x'02'", []
        ) { cursor in cursor.value(at: 0) }
        for case .blob(let bytes) in found {
          switch try? LargeValueColumn(bytes) {
          case .file(let file): names.insert(file)
          case .inline: break
          case nil: isComplete = false
          }
        }
      }
    }
    return (names, isComplete)
  }
}
