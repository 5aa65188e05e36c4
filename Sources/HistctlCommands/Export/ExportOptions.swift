import ArgumentParser
import HistoryCoding

/// In which form and to which place history is exported.
struct ExportOptions: CheckedOptions {
  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      "The format of the records; by default as the name of the file says, else jsonl.",
      valueName: "format"))
  var namedFormat: ExportFormat?

  @Option(
    help: ArgumentHelp(
      "Only these fields of each record, separated by commas.", valueName: "fields"))
  var fields: String?

  @Flag(
    help: "Write ' before texts in CSV that a spreadsheet would take for a formula.")
  var safeCells = false

  @Flag(help: "Add to each change what its object is now, where it still exists.")
  var withCurrent = false

  @Option(
    help: ArgumentHelp(
      "Pack the text; by default as the name of the file says, and with zstd in a folder.",
      valueName: "method"))
  var compress: ExportCompression?

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: ArgumentHelp(
      "Write a file, which must not be there yet; - is standard output.", valueName: "file"),
    completion: .file())
  var outputFile: String?

  @Flag(help: "Replace a file that is there.")
  var overwrite = false

  @Option(
    help: ArgumentHelp(
      "Write into this folder, a file named by its range: STORE/FIRST-LAST.jsonl.zst.",
      valueName: "dir"),
    completion: .directory)
  var outputDir: String?

  @Option(
    name: .customLong("bookmark"),
    help: ArgumentHelp(
      "Start after this bookmark, and move it when the file is safe; with --output-dir.",
      valueName: "name"))
  var consumer: String?

  @Option(
    help: ArgumentHelp(
      "Time to wait for another export with the same bookmark, such as 10min.",
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var lockWait: DurationArgument?

  func check() throws {
    if lockWait != nil, consumer == nil {
      throw ValidationError(
        "--lock-wait waits for an export with the same bookmark; name it with --bookmark")
    }
    if outputFile != nil, outputDir != nil {
      throw ValidationError("--output and --output-dir are two places; name one")
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
    if safeCells, format != .csv {
      throw ValidationError("--safe-cells is about --format csv")
    }
    if consumer != nil, outputDir == nil {
      throw ValidationError(
        "--bookmark moves when a file is safe, so it needs --output-dir")
    }
  }

  /// The file to write; nil for standard output.
  var file: String? { outputFile == "-" ? nil : outputFile }

  /// The format of the records.
  var format: ExportFormat { namedFormat ?? file.flatMap(Self.format) ?? .jsonl }

  /// How the text is packed, if the place is a file of this name or a folder.
  var compression: ExportCompression {
    if let compress { return compress }
    return outputDir != nil ? .zstd : Self.compression(ofFile: outputFile) ?? .none
  }

  /// How the name of a file says that it is packed; nil for one that does not.
  private static func compression(ofFile name: String?) -> ExportCompression? {
    ExportCompression.allCases.first {
      $0 != .none && name?.lowercased().hasSuffix("." + $0.fileExtension) == true
    }
  }

  /// Refuses a name that promises another format, for whoever opens the file goes by it.
  private func checkFormat() throws {
    guard let file, let named = Self.format(ofFile: file), named != format else { return }
    if named != .jsonl {
      throw ValidationError(
        "the name \(file) is that of a file in the format \(named.rawValue), and the format is "
          + "\(format.rawValue); give --format \(named.rawValue), or name the file otherwise")
    }
    // All formats but one are JSON lines.
    if format == .csv {
      throw ValidationError(
        "the name \(file) is that of a file of JSON lines, and the format is csv; leave out "
          + "--format csv, or name the file otherwise")
    }
  }

  /// The format that the name of a file promises; nil for a name that promises none.
  private static func format(ofFile name: String) -> ExportFormat? {
    var name = name.lowercased()[...]
    if let packing = compression(ofFile: String(name)) {
      name = name.dropLast(packing.fileExtension.utf8.count + 1)
    }
    if [".json", ".ndjson"].contains(where: { name.hasSuffix($0) }) { return .jsonl }
    return ExportFormat.allCases.filter { name.hasSuffix("." + $0.fileExtension) }
      .max { $0.fileExtension.utf8.count < $1.fileExtension.utf8.count }
  }

  /// A field that has a place for what objects are now.
  private static func fieldOfObjects(_ format: ExportFormat) -> String {
    switch format {
    case .cloudevents: "data"
    case .debezium: "history"
    case .jsonl, .changes, .csv: "changes"
    }
  }

  /// An encoder of the format with the fields that were asked for.
  func encoder() throws -> any HistoryEncoder {
    let encoder = try format.encoder(
      fields: fields.map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }, guardsFormulas: safeCells)
    if withCurrent, !encoder.carriesPresentObjects {
      throw Failure(
        status: .usage, kind: "usage",
        message: fields == nil || format == .csv
          ? "the format \(format.rawValue) has no place for what objects are now"
          : "the fields that are kept have no place for what objects are now",
        hint: format == .csv
          ? "--with-current goes with the formats jsonl, changes, cloudevents and debezium"
          : "name \(Self.fieldOfObjects(format)) among the fields, or leave out --with-current")
    }
    return encoder
  }
}

extension ExportFormat: ExpressibleByArgument {
  /// The words, in the order of declaration.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
  /// The word, as help shows a default.
  public var defaultValueDescription: String { rawValue }
}

extension ExportCompression: ExpressibleByArgument {
  /// The words, in the order of declaration.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
  /// The word, as help shows a default.
  public var defaultValueDescription: String { rawValue }
}
