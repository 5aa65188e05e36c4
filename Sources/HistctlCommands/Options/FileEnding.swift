import ArgumentParser
import HistoryCoding

/// What the end of a file's name says about its content.
enum FileEnding {
  /// Endings of formats that exports do not have. Other unknown endings, such as `.txt` and `.log`, are those of any
  /// text.
  private static let foreign: Set = [
    "arrow", "arrows", "avro", "bson", "cbor", "doc", "docx", "dta", "duckdb", "feather", "geojson",
    "gif", "h5",
    "hdf5", "htm", "html", "ipc", "jpeg", "jpg", "json", "json5", "md", "msgpack", "ods", "odt",
    "orc", "parquet", "pb", "pdf", "pickle", "pkl", "plist", "png", "proto", "rds", "rtf", "sql",
    "svg", "tab", "toml", "tsv", "webp", "xhtml", "xls", "xlsx", "xml", "yaml", "yml",
  ]

  /// Endings of text and of databases, which only some commands write.
  private static let others: Set = [
    "db", "log", "ndjson", "sqlite3", "store", "storedata", "text", "txt",
  ]

  /// Endings of compressed files and of archives that histctl does not write.
  private static let foreignPackings: Set = [
    "7z", "br", "bz2", "gzip", "lz", "lz4", "lzma", "rar", "snappy", "tar", "tbz", "tgz", "txz",
    "xz", "z",
    "zip", "zstd",
  ]

  /// The endings of compressions that exports have.
  private static let packings = ExportCompression.allCases.map(\.fileExtension)
    .filter { !$0.isEmpty }

  /// Returns the ending of a format that is not among the formats of exports; `nil` for any other name.
  static func foreignFormat(of name: String) -> String? {
    parts(of: name).last { !packings.contains($0) }.flatMap { foreign.contains($0) ? $0 : nil }
  }

  /// Returns the ending of a compression that histctl does not have; `nil` for any other name.
  static func foreignPacking(of name: String) -> String? {
    parts(of: name).last.flatMap { foreignPackings.contains($0) ? $0 : nil }
  }

  /// Returns the ending of any compression; `nil` for any other name.
  static func packing(of name: String) -> String? {
    parts(of: name).last.flatMap { packings.contains($0) ? $0 : foreignPacking(of: name) }
  }

  /// Returns the ending of a name that is not one of a page; `nil` for that of a page and for unknown ones.
  static func otherThanPage(_ name: String) -> String? {
    if let packing = packing(of: name) { return packing }
    guard let last = parts(of: name).last, !["html", "htm", "xhtml"].contains(last) else {
      return nil
    }
    return foreign.contains(last) || others.contains(last)
      || ExportFormat.allCases.contains { $0.fileExtension == last } ? last : nil
  }

  /// The endings of a name in lower case.
  private static func parts(of name: String) -> [String] {
    let file = name.split(separator: "/").last ?? ""
    return file.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map {
      $0.lowercased()
    }
  }
}
