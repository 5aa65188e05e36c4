import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory

/// The names of an export's files and folders.
extension ExportFolder {
  /// The folders that have files of the store, in any layout, with the names in each.
  var directories: [(path: String, names: [String])] {
    storeFolders.flatMap { folder in
      let names = FolderNames.read(folder)
      let months = names.filter { $0.hasPrefix(Self.monthPrefix) }.sorted()
        .map { OutputFolder.path(of: $0, in: folder) }
      return [(folder, names)] + months.map { ($0, FolderNames.read($0)) }
    }
  }

  /// Returns the folder of the file that begins with a transaction.
  func directory(of first: Int64) throws -> String {
    guard layout == .storeAndMonth,
      let position = try operation.timeline.position(ofTransaction: first)
    else { return storeFolder }
    return OutputFolder.path(of: Self.monthFolder(position), in: storeFolder)
  }

  private static let monthPrefix = "month="

  /// Returns the name of a month's folder; Hive's name for no value if there is no time.
  static func monthFolder(_ position: TransactionPosition) -> String {
    let month = position.timestamp.flatMap {
      PeriodClock.universal.period(.month, containing: $0)
    }
    return monthPrefix + (month?.name ?? "__HIVE_DEFAULT_PARTITION__")
  }

  func path(of range: ClosedRange<Int64>) throws -> String {
    OutputFolder.path(of: name(of: range), in: try directory(of: range.lowerBound))
  }

  func name(of range: ClosedRange<Int64>) -> String { SegmentName.text(range) + suffix }

  var suffix: String { Self.ending(operation.format, operation.export.compression) }

  private static func ending(_ format: ExportFormat, _ compression: ExportCompression) -> String {
    let packed = compression.fileExtension
    return "." + format.fileExtension + (packed.isEmpty ? "" : "." + packed)
  }

  /// The endings of the names of all files that a run may write.
  static let endings = Set(
    ExportFormat.allCases.flatMap { format in
      ExportCompression.allCases.map { ending(format, $0) }
    })

  /// Whether a file may be one of a run, in any format.
  static func isName(_ name: String) -> Bool {
    let numbers = name.prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { $0.utf8.count >= 12 && Int64($0) != nil }
  }
}
