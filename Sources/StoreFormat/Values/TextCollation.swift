import GRDB
import GRDBSQLite

/// An order of texts that SQLite asks the program for.
package struct TextCollation: Hashable, Sendable {
  /// Returns a negative number if the first text, both in UTF-8, comes first, 0 if both are equal.
  package typealias Comparison =
    @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

  /// The name in SQL, a word.
  package let name: String
  private let compare: Comparison

  package init(_ name: String, compare: @escaping Comparison) {
    self.name = name
    self.compare = compare
  }

  package static func == (left: TextCollation, right: TextCollation) -> Bool {
    left.name == right.name
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  private final class Context {
    let compare: Comparison

    init(_ compare: @escaping Comparison) { self.compare = compare }
  }

  /// Adds the order to a connection that does not have it; defining it again would fail while
  /// statements run.
  func add(to database: Database) throws {
    let known = "SELECT 1 FROM pragma_collation_list WHERE name = ?1"
    guard try StatementRunner(database).integer(known, [.text(name)]) == nil else { return }
    let context = Unmanaged.passRetained(Context(compare))
    let result = sqlite3_create_collation_v2(
      database.sqliteConnection, name, SQLITE_UTF8, context.toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        return CInt(
          Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().compare(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount))
          ).signum())
      },
      { context in context.map { Unmanaged<Context>.fromOpaque($0).release() } })
    guard result == SQLITE_OK else {
      // SQLite has not released the context of a collation that it did not add.
      context.release()
      throw DatabaseError(resultCode: ResultCode(rawValue: result))
    }
  }
}
