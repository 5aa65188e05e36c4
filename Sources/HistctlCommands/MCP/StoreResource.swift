import DurableFiles
import Foundation
import HistoryCoding
import StoreFormat

/// Stores as resources of the Model Context Protocol: what `find` lists, and what `info` says of each.
enum StoreResource {
  private static let scheme = "histctl://"
  private static let mimeType: JSONValue = "application/jsonl"

  /// Returns the resources of lines that `find` wrote.
  static func list(_ lines: String) -> [JSONValue] {
    lines.split(separator: "\n").compactMap { line -> JSONValue? in
      guard let store = try? JSONReader().read(Array(line.utf8)), let path = store["path"]?.text
      else { return nil }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      var description = "SwiftData or Core Data store"
      if case .integer(let count)? = store["transactions"] {
        description += ", " + count.counted("transaction")
      }
      return [
        "uri": .string(scheme + PercentEncoding.encode(path)), "name": .string(name),
        "title": .string(path), "description": .string(description), "mimeType": mimeType,
      ]
    }
  }

  /// Returns the path in an address, or `nil` if it is not the address of a store.
  static func path(_ address: String) -> String? {
    guard address.hasPrefix(scheme) else { return nil }
    return String(address.dropFirst(scheme.count)).removingPercentEncoding
  }

  /// Returns the content of a resource: the line that `info` wrote.
  static func content(_ address: String, _ text: String) -> JSONObject {
    ["contents": [["uri": .string(address), "mimeType": mimeType, "text": .string(text)]]]
  }
}
