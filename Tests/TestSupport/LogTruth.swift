import Foundation
import StoreFormat

/// The states of a store's log as plain SQLite reads them: from copies whose log is cut after each commit.
package struct LogTruth {
  /// The store file and the log, as they were.
  package let store: [UInt8]
  package let log: [UInt8]
  /// Where each commit ends in the log, in bytes.
  package let ends: [Int]
  package let pageSize: Int

  /// The header of a log and that of a frame: <https://www.sqlite.org/fileformat2.html#walformat>.
  package static let headerLength = 32
  package static let frameHeaderLength = 24

  /// Reads a store and its log. Frames count as long as their salts are those of the log.
  package init(path: String) throws {
    store = try FileBytes.read(path)
    log = (try? FileBytes.read(path + "-wal")) ?? []
    guard log.count >= Self.headerLength else {
      (ends, pageSize) = ([], 0)
      return
    }
    pageSize = Int(Self.word(log, 8))
    var ends: [Int] = []
    var place = Self.headerLength
    let length = Self.frameHeaderLength + pageSize
    while place + length <= log.count, log[(place + 8)..<(place + 16)] == log[16..<24] {
      if Self.word(log, place + 4) != 0 { ends.append(place + length) }
      place += length
    }
    self.ends = ends
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The number of states: the one before the log, and one after each commit.
  package var count: Int { ends.count + 1 }

  /// The pages of the frames, in order.
  package var pages: [UInt32] {
    stride(from: Self.headerLength, to: ends.last ?? 0, by: Self.frameHeaderLength + pageSize)
      .map { Self.word(log, $0) }
  }

  /// The content of a frame, counted from 0.
  package func content(ofFrame number: Int) -> ArraySlice<UInt8> {
    let start =
      Self.headerLength + number * (Self.frameHeaderLength + pageSize) + Self.frameHeaderLength
    return log[start..<start + pageSize]
  }

  /// The number of frames up to a state.
  package func frameCount(of state: Int) -> Int {
    state == 0
      ? 0 : (ends[state - 1] - Self.headerLength) / (Self.frameHeaderLength + pageSize)
  }

  /// Opens a copy of a state.
  package func open(_ state: Int, in folder: TemporaryFolder) throws -> StoreQuery {
    let path = folder.file("state-\(state).store")
    try FileBytes.write(store, to: path)
    if state > 0 { try FileBytes.write(Array(log[..<ends[state - 1]]), to: path + "-wal") }
    return try StoreQuery(path: path)
  }
}
