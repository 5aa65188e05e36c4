import DurableFiles
import StoreFormat
import Synchronization

/// Lets large stores be read one at a time, while small ones are read on all processors: each may have a value that takes
/// most of the memory of a command.
final class LargeStores: Sendable {
  /// The size of the stores that are read together, in bytes.
  private static let sharedByteCount: Int64 = 16 << 20

  private let limit = LargeStores.sharedByteCount / Int64(StoreReading.helperCount + 1)
  private let turn = Mutex(())

  /// Reads a store, whose values are in these files.
  func reading<Result>(_ files: [String], _ body: () throws -> Result) throws -> Result {
    // A file that cannot be examined cannot be read either, which is reported then.
    let byteCount = files.reduce(0) { $0 + ((try? FileStatus(path: $1))?.size ?? 0) }
    return byteCount > limit ? try turn.withLock { _ in try body() } : try body()
  }

  /// Reads a copy of a store.
  func reading<Result>(_ copy: PrivateCopy, _ body: () throws -> Result) throws -> Result {
    try reading([copy.path, copy.logPath], body)
  }
}
