import DurableFiles
import GRDB
import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Removes the files of large values that no row names: those that killed programs have left.
///
/// Another program may have written a file that its row is yet to name. Ours look under SQLite's write
/// lock whether the file is still there before they name it, and a sweep removes under the same lock;
/// for all others there is a time within which a save must have named what it wrote.
///
/// Rows are read before the lock is taken, and nobody waits for a sweep that has to wait itself: where
/// somebody else is writing, the next editor sweeps.
struct LargeValueSweep {
  let location: StoreLocation
  let schema: ObjectSchema

  /// How old a file must be, in seconds.
  static let leastAge = 3600
  /// How often the rows are read while others go on saving.
  private static let mostAttempts = 3

  /// Removes them; what cannot be looked at or removed stays.
  func run() {
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
    for _ in 0..<Self.mostAttempts {
      guard let isDone = try? remove(old, from: opened, of: folder, queue), !isDone else { return }
    }
  }

  /// Removes those of some files that no row names.
  ///
  /// - Returns: Whether that is done; somebody may have saved since the rows were read.
  private func remove(
    _ files: [LargeValueName], from opened: FileDescriptor, of folder: LargeValueFolder,
    _ queue: DatabaseQueue
  ) throws -> Bool {
    func version(_ database: Database) throws -> Int64? {
      try Int64.fetchOne(database, sql: "PRAGMA data_version")
    }
    let (named, seen) = try queue.read { database in
      let statement = StatementRunner(database)
      let isCurrent = try schema.isCurrent(statement)
      return (isCurrent ? try schema.largeValueNames(statement) : nil, try version(database))
    }
    // What names a file in a way that is not known may name any of them.
    guard let named, named.isComplete else { return true }
    // Where the file system does not tell small letters from capitals, they name the same.
    let names = Set(named.names.map { $0.text.uppercased() })
    let left = files.filter { !names.contains($0.text.uppercased()) }
    // As a rule there is nothing to be removed.
    guard !left.isEmpty else { return true }
    var isDone = false
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        isDone = try version(database) == seen
        if isDone {
          for name in left { folder.remove(name, from: opened) }
        }
        return .rollback
      }
    }
    return isDone
  }

  /// Whether no other store stands beside this one whose name differs in its extension only: both keep
  /// their values in one folder.
  private var isAlone: Bool {
    let store = FilePath(location.resolvedPath)
    guard let name = store.lastComponent?.string, let stem = store.stem else { return false }
    let own = Set(([""] + StoreLocation.companions).map { name + $0 })
    return !FolderNames.read(location.folder).contains { other in
      !own.contains(other) && FilePath.Component(other)?.stem == stem
    }
  }
}

extension ObjectSchema {
  /// The names of all files that rows name as those of their large values, and whether all that name
  /// some do it in a way that is known.
  func largeValueNames(
    _ statement: StatementRunner
  ) throws -> (names: Set<LargeValueName>, isComplete: Bool) {
    var names: Set<LargeValueName> = []
    var isComplete = true
    for table in tables.tables {
      for column in table.columns {
        guard case .attribute(let attribute) = column.role, attribute.allowsExternalStorage else {
          continue
        }
        try check(column, of: table)
        let name = quoted(column.name)
        // The length stands at the beginning of a row, and pages behind it need not be read.
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
