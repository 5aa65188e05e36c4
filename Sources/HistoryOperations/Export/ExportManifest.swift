import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// A list of what a run over several histories has read and written: JSON lines in `_runs`, a folder inside
/// the export's, which Hive and Spark skip because of its name.
///
/// The first line, of the type `exportRun`, has the run. Then each file has a line of the type
/// `export`, and each history that could not be exported one of the type `error`. The last line, of the
/// type `exportRunEnd`, has the counts; a run that was killed has none.
final class ExportManifest {
  let path: String
  private let folder: String
  private let file: FileDescriptor

  /// Begins the manifest, and warns if the run before has not ended.
  init(_ run: ExportRun, storeCount: Int, observer: OperationObserver) throws {
    folder = OutputFolder.path(of: "_runs", in: run.folder)
    let permissions = FilePermissions.common(toFilesAt: run.inputs.map(\.path))
    try OutputFolder.make(run.folder)
    try OutputFolder.make(
      part: folder, permissions: MissingFolders.permissions(forFiles: permissions))
    if let last = FolderNames.read(folder).filter({ $0.hasSuffix(".jsonl") }).max(),
      !Self.hasEnd(OutputFolder.path(of: last, in: folder))
    {
      observer(
        .warning(
          kind: "unfinishedRun",
          "the run of \(OutputFolder.path(of: last, in: folder)) has not ended: it was "
            + "interrupted, or still goes on",
          hint: "with --bookmark, this run exports what that one has not"))
    }
    let time = (run.now.iso8601() ?? "unknown").filter { $0 != "-" && $0 != ":" }
    var path = OutputFolder.path(of: time + ".jsonl", in: folder)
    var number = 2
    while true {
      do {
        file = try FileDescriptor.open(
          FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .append, .closeOnExec],
          permissions: permissions)
        break
      } catch Errno.fileExists where number < 1000 {
        path = OutputFolder.path(of: "\(time)-\(number).jsonl", in: folder)
        number += 1
      } catch {
        throw Self.unwritable(path, error)
      }
    }
    self.path = path
    try write([
      .record(
        "exportRun",
        [
          "started": run.now.iso8601(), "by": run.maker,
          "format": run.format.rawValue,
          "partition": run.layout == .plain ? nil : run.layout.rawValue,
          "bookmark": run.consumer, "stores": storeCount,
        ])
    ])
  }

  deinit { try? file.close() }

  /// Adds the outcome of a history; nothing if it had nothing new.
  func add(_ outcome: ExportRun.Outcome, error: JSONValue?) throws {
    let root = String(folder.dropLast("_runs".count))
    let lines = outcome.files.map { file in
      file.json(source: outcome.path, store: outcome.storeIdentifier, relativeTo: root)
    }
    try write(lines + (error.map { [$0] } ?? []))
  }

  /// Ends the manifest.
  func end(_ summary: ExportRun.Summary) throws {
    try write([summary.json])
    do {
      try file.synchronize()
      try DraftFile.synchronizeFolder(of: path)
    } catch {
      throw Self.unwritable(path, error)
    }
  }

  private func write(_ lines: [JSONValue]) throws {
    guard !lines.isEmpty else { return }
    var writer = JSONWriter()
    for line in lines {
      writer.append(line)
      writer.appendRaw("\n")
    }
    do {
      _ = try writer.withUnsafeBytes { try file.writeAll($0) }
    } catch {
      throw Self.unwritable(path, error)
    }
  }

  private static func unwritable(_ path: String, _ error: any Error) -> OperationError {
    OperationError(
      .unwritable, "cannot write \(path): \(error)",
      hint: "name a folder in which files can be made and that has room for them")
  }

  /// Whether the last line of a manifest is that of a run that has ended.
  private static func hasEnd(_ path: String) -> Bool {
    guard let file = try? ReadableFile(FilePath(path)) else { return true }
    let size = file.status.size
    var tail = [UInt8](repeating: 0, count: Int(min(size, 4096)))
    let count = tail.withUnsafeMutableBytes {
      (try? file.fill($0, from: size - Int64($0.count))) ?? 0
    }
    let last = tail.prefix(count).split(separator: UInt8(ascii: "\n")).last ?? []
    return String(decoding: last, as: UTF8.self).contains(#""type":"exportRunEnd""#)
  }
}

// MARK: - JSON

extension ExportFolder.File {
  /// The size of the file, in bytes.
  package var byteCount: Int64 { (try? FileStatus(path: path))?.size ?? 0 }

  /// The file as a record.
  ///
  /// - Parameters:
  ///   - source: The path of the store, where there are several.
  ///   - store: The identifier of the store.
  ///   - root: A folder that the path begins with and that is left out.
  package func json(
    source: String? = nil, store: String? = nil, relativeTo root: String? = nil
  )
    -> JSONValue
  {
    let relative = root.flatMap { root in
      path.utf8.starts(with: root.utf8)
        ? String(decoding: path.utf8.dropFirst(root.utf8.count), as: UTF8.self) : nil
    }
    return .record(
      "export",
      [
        "source": source, "store": store, "path": relative ?? path,
        "bytes": source.map { _ in byteCount }, "transactions": summary.transactions,
        "first": summary.first?.number, "last": summary.last?.number,
      ])
  }
}

extension ExportRun.Summary {
  /// The counts as a record.
  package var json: JSONValue {
    .record(
      "exportRunEnd",
      [
        "exported": exported, "unchanged": unchanged, "failed": failed,
        "skipped": skipped > 0 ? skipped : nil, "files": files, "transactions": transactions,
        "bytes": bytes,
      ])
  }
}
