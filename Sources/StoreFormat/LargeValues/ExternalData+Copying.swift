import DurableFiles
import Libc
import SystemPackage

extension ExternalData {
  /// Copies all files and folders in it, without links and special files; returns the number of files. The caller
  /// syncs the copy.
  package func copy(to target: String, progress: (Int64) throws -> Void) throws -> Int {
    guard FileMove.entry(at: path) == .folder else { return 0 }
    return try Self.copy(folder: path, to: target, depth: 0, progress)
  }

  private static func copy(
    folder: String, to target: String, depth: Int, _ progress: (Int64) throws -> Void
  ) throws -> Int {
    guard mkdir(target, 0o700) == 0 else { throw Errno(rawValue: errno) }
    var count = 0
    for name in try FolderNames.list(folder) {
      let (source, copy) = (folder + "/" + name, target + "/" + name)
      switch FileMove.entry(at: source) {
      case .file:
        // The app may have deleted it a moment ago.
        if try Self.copy(file: source, to: copy, progress) { count += 1 }
      case .folder where depth < deepest:
        count += try Self.copy(folder: source, to: copy, depth: depth + 1, progress)
      case .folder, .none, .link, .other: break
      }
      try progress(0)
    }
    return count
  }

  /// Copies a file; returns `false` if it no longer exists.
  private static func copy(
    file source: String, to target: String, _ progress: (Int64) throws -> Void
  ) throws -> Bool {
    let input: ReadableFile
    do {
      input = try ReadableFile(FilePath(source), followsLink: false)
    } catch Errno.noSuchFileOrDirectory {
      return false
    } catch is FileProblem {
      return false
    }
    var status = stat()
    guard input.withDescriptor({ fstat($0.rawValue, &status) }) == 0 else {
      throw Errno(rawValue: errno)
    }
    let output = try FileDescriptor.open(
      FilePath(target), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: FilePermissions(rawValue: status.st_mode & 0o666 | 0o600))
    defer { try? output.close() }
    try input.copy(to: output, progress: progress)
    return true
  }
}
