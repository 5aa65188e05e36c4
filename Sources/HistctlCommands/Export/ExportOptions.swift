import ArgumentParser
import HistoryCoding
import HistoryOperations

/// The format and the place of an export.
struct ExportOptions: ParsableArguments {
  @Option(
    name: .customLong("format"), value: "format",
    help: "Format of the records (default: from the file's name, else jsonl).")
  var namedFormat: ExportFormat?

  @Option(value: "fields", help: "Only these fields of each record, separated by commas.")
  var fields: String?

  @Flag(
    help: "Write ' before CSV cells that a spreadsheet would take for a formula.")
  var safeCells = false

  @Flag(help: "Add to each change the present values of its object, if it exists.")
  var withCurrent = false

  @Option(value: "method", help: "Compression (default: from the file's name, zstd in a folder).")
  var compress: ExportCompression?

  @Option(name: .output, value: .file, help: "Write a new file; - is standard output.")
  var outputFile: String?

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  @Option(
    value: .folder,
    help: "Write into this folder, to a file named by its range: STORE/FIRST-LAST.jsonl.zst.")
  var outputDir: String?

  @Option(
    value: "keys",
    help: "Divide the folder into partitions, as Hive names them: store or store,month.")
  var partition: ExportFolder.Layout?

  @Option(
    name: .customLong("bookmark"), value: .init("name", Completion.bookmark.kind),
    help: "Start after this bookmark, and move it when the file is safe; with --output-dir.")
  var consumer: String?

  @Option(help: "Time to wait for another export with the same bookmark, such as 10min.")
  var lockWait: HistoryDuration?

  func validate() throws {
    try NewPlace.folder.check(outputDir, of: "--output-dir")
    if lockWait != nil, consumer == nil {
      throw ValidationError(
        "--lock-wait waits for an export with the same bookmark; name it with --bookmark")
    }
    if partition != nil, outputDir == nil {
      throw ValidationError("--partition divides a folder; name it with --output-dir")
    }
    if outputFile != nil, outputDir != nil {
      throw ValidationError("--output cannot be combined with --output-dir")
    }
    if overwrite, file == nil {
      throw ValidationError("--overwrite goes with --output; in a folder no file is ever replaced")
    }
    if let compress, let named = Self.compression(ofFile: file), named != compress {
      throw ValidationError(
        "--compress \(compress.rawValue) contradicts the name of the file, which ends as one of "
          + "\(named.rawValue) does; leave out --compress, or name the file otherwise")
    }
    try checkFormat()
    if format.content == .database { try checkPlaceOfDatabase() }
    if safeCells, format != .csv {
      throw ValidationError("--safe-cells is about --format csv")
    }
    if consumer != nil, outputDir == nil {
      throw ValidationError(
        "--bookmark moves when a file is safe, so it needs --output-dir")
    }
  }

  /// The file to write; `nil` for standard output.
  var file: String? { outputFile == "-" ? nil : outputFile }

  /// How the files of a folder are arranged.
  var layout: ExportFolder.Layout { partition ?? .plain }

  /// The format of the records.
  var format: ExportFormat { namedFormat ?? file.flatMap(Self.format) ?? .jsonl }

  /// The compression of the text.
  var compression: ExportCompression {
    if let compress { return compress }
    return outputDir != nil
      ? format.usualCompression : Self.compression(ofFile: outputFile) ?? .none
  }

  /// The compression that a file name implies; `nil` if it implies none.
  private static func compression(ofFile name: String?) -> ExportCompression? {
    ExportCompression.allCases.first {
      $0 != .none && name?.lowercased().hasSuffix("." + $0.fileExtension) == true
    }
  }

  /// Refuses a place that cannot hold a database.
  private func checkPlaceOfDatabase() throws {
    guard file != nil || outputDir != nil else {
      throw ValidationError(
        "--format \(format.rawValue) writes a database, which must be a file; name it with --output, "
          + "or a folder with --output-dir")
    }
    guard compression == .none else {
      throw ValidationError(
        "--format \(format.rawValue) writes a database, which is not compressed; leave out "
          + "--compress or the ending .\(compression.fileExtension), and compress the file afterwards"
      )
    }
  }

  /// Refuses a file name that implies another format.
  private func checkFormat() throws {
    if let file { try checkKnown(file) }
    guard let file, let named = Self.format(ofFile: file), named != format else { return }
    if named != .jsonl {
      throw ValidationError(
        "the name \(file) is that of a file in the format \(named.rawValue), and the format is "
          + "\(format.rawValue); give --format \(named.rawValue), or name the file otherwise")
    }
    if format.content != .jsonLines {
      throw ValidationError(
        "the name \(file) is that of a file of JSON lines, and the format is "
          + "\(format.rawValue); leave out --format \(format.rawValue), or name the file otherwise")
    }
  }

  /// Refuses a file name of a format or a compression that does not exist, unless the option names another.
  private func checkKnown(_ file: String) throws {
    if compress == nil, let ending = FileEnding.foreignPacking(of: file) {
      throw ValidationError(
        "the name \(file) ends in .\(ending), and export does not write such files; end it in .zst or .gz, "
          + "or give --compress")
    }
    if namedFormat == nil, let ending = FileEnding.foreignFormat(of: file) {
      throw ValidationError(
        "the name \(file) ends in .\(ending), and export has no such format; give --format with one of "
          + "\(ExportFormat.allValueStrings.joined(separator: ", ")), or name the file otherwise"
      )
    }
  }

  /// The format that a file name implies; `nil` if it implies none.
  private static func format(ofFile name: String) -> ExportFormat? {
    var name = name.lowercased()[...]
    if let packing = compression(ofFile: String(name)) {
      name = name.dropLast(packing.fileExtension.utf8.count + 1)
    }
    if name.hasSuffix(".ndjson") || name.hasSuffix(".json") { return .jsonl }
    if [".db", ".sqlite3"].contains(where: { name.hasSuffix($0) }) { return .sqlite }
    return ExportFormat.allCases.filter { name.hasSuffix("." + $0.fileExtension) }
      .max { $0.fileExtension.utf8.count < $1.fileExtension.utf8.count }
  }

  /// Returns an encoder of the format with the requested fields.
  func encoder() throws -> any HistoryEncoder {
    let encoder = try format.encoder(
      fields: fields.map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }, guardsFormulas: safeCells)
    if withCurrent, !encoder.carriesPresentObjects {
      let field = format.fieldOfPresentObjects
      throw Failure(
        .usage,
        field == nil
          ? "the format \(format.rawValue) has no place for what objects are now"
          : "the fields that are kept have no place for what objects are now",
        hint: field.map { "name \($0) among the fields, or leave out --with-current" }
          ?? "--with-current goes with the formats "
          + ExportFormat.allCases.filter(\.carriesPresentObjects).map(\.rawValue)
          .joined(separator: ", "))
    }
    return encoder
  }
}

extension ExportFormat: WordArgument {}
extension ExportCompression: WordArgument {}

extension ExportFolder.Layout: WordArgument {
  /// The partitions that can be asked for.
  public static var allValueStrings: [String] { [store, storeAndMonth].map(\.rawValue) }

  /// Reads the keys of partitions.
  public init?(argument: String) {
    guard argument != Self.plain.rawValue else { return nil }
    self.init(rawValue: argument)
  }
}
