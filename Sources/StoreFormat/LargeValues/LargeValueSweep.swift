import GRDB
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
struct LargeValueSweep {
  let location: StoreLocation
  let queue: DatabaseQueue
  let schema: EditorSchema

  /// How old a file must be, in seconds.
  static let leastAge = 3600

  /// Removes them; what cannot be looked at or removed stays.
  func run() {
    let folder = LargeValueFolder(location)
    guard isAlone, let opened = try? folder.open() else { return }
    defer { try? opened.close() }
    let newest = time(nil) - Self.leastAge
    var left = Set(
      folder.names(in: opened).filter { name in
        (try? folder.look(at: name, in: opened)).map { $0.modifiedSeconds <= newest } ?? false
      })
    guard !left.isEmpty else { return }
    // Without the lock first: as a rule there is nothing to be removed.
    guard
      let named = try? queue.read({ try schema.largeValueNames(StatementRunner($0)) })
    else { return }
    left.subtract(named)
    guard !left.isEmpty else { return }
    try? queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        let statement = StatementRunner(database)
        guard try schema.isCurrent(statement) else { return .rollback }
        left.subtract(try schema.largeValueNames(statement))
        for name in left { folder.remove(name, from: opened) }
        return .rollback
      }
    }
  }

  /// Whether no other store stands beside this one whose name differs in its extension only: both keep
  /// their values in one folder.
  private var isAlone: Bool {
    let store = FilePath(location.resolvedPath)
    guard let name = store.lastComponent?.string, let stem = store.stem else { return false }
    let own = Set(["", "-wal", "-shm", "-journal", "-bookmarks.json"].map { name + $0 })
    return !FolderNames.read(location.folder).contains { other in
      !own.contains(other) && FilePath.Component(other)?.stem == stem
    }
  }
}

extension EditorSchema {
  /// The names of all files that rows name as those of their large values.
  func largeValueNames(_ statement: StatementRunner) throws -> Set<LargeValueName> {
    var names: Set<LargeValueName> = []
    for table in tables.tables {
      for column in table.columns {
        guard case .attribute(let attribute) = column.role, attribute.allowsExternalStorage else {
          continue
        }
        try check(column, of: table)
        let name = quoted(column.name)
        let found = try statement.map(
          "SELECT substr(\(name), 1, \(LargeValueColumn.nameLength)) FROM \(quoted(table.name)) "
            + "WHERE typeof(\(name)) = 'blob' AND substr(\(name), 1, 1) = x'02'", []
        ) { cursor in cursor.value(at: 0) }
        for case .blob(let bytes) in found {
          if case .file(let file)? = try? LargeValueColumn(bytes) { names.insert(file) }
        }
      }
    }
    return names
  }
}
