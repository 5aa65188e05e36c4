import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// A store's history as lines, and what reads and checks them.
struct StoreLines {
  /// The transactions as the reader gives them.
  let transactions: [HistoryTransaction]
  /// One line for each, each ended by a line feed.
  let lines: [[UInt8]]
  /// The schema of the store.
  let schema: HistorySchema

  /// Reads and encodes a whole store.
  init(path: String, query: HistoryQuery = HistoryQuery()) throws {
    (transactions, lines, schema) = try StoreFile(path: path).read { snapshot in
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var encoder = TransactionLineEncoder()
      var transactions: [HistoryTransaction] = []
      var lines: [[UInt8]] = []
      while let transaction = try reader.next() {
        encoder.encode(.transaction(transaction))
        transactions.append(transaction)
        lines.append(Array(encoder.bytes))
        encoder.removeAll()
      }
      return (transactions, lines, reader.schema)
    }
  }

  /// The lines as text.
  var text: String { String(decoding: lines.joined(), as: UTF8.self) }

  /// Decodes every line.
  func decoded() throws -> [HistoryTransaction] {
    let decoder = TransactionLineDecoder(schema: schema)
    return try lines.compactMap { line in
      guard case .transaction(let transaction) = try decoder.decode(line) else { return nil }
      return transaction
    }
  }

  /// Runs the published schema over the lines and gives what it finds wrong.
  func schemaProblems() async throws -> String {
    let result = try await #require(Tool("python3")).run([SchemaTool.path], input: text)
    return result.status == 0 ? "" : result.errors
  }
}

/// The program that checks lines against the published schema.
enum SchemaTool {
  /// Its path in the checkout.
  static let path: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/Tools/validate_lines.py"
  }()

  private static let hasPackage = Task {
    try await Tool("python3")?.run(["-c", "import jsonschema"]).status == 0
  }

  /// Whether this machine has what it needs.
  static func isPossible() async throws -> Bool { try await hasPackage.value }
}
