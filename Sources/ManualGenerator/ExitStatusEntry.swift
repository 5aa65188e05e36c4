import Foundation

/// A row of the program's table of exit statuses.
struct ExitStatusEntry: Decodable {
  let status: Int
  let meaning: String

  /// Reads the table as `histctl dump-exit-statuses` writes it, an object a line.
  static func table(_ data: Data) throws -> [ExitStatusEntry] {
    let entries = try data.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(ExitStatusEntry.self, from: Data($0))
    }
    guard entries.contains(where: { $0.status == 0 }) else {
      throw GeneratorError("the table of exit statuses has no status 0; was it written in full?")
    }
    return entries.sorted { $0.status < $1.status }
  }
}
