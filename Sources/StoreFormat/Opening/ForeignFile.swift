import DurableFiles
import Libc
import SystemPackage

/// An untrusted file beside a store.
///
/// Links are not followed, pipes are not waited for, and only regular files are opened that are not the
/// store's own.
package struct ForeignFile {
  let path: String
  private let name: String
  private let folder: CInt

  /// A file by its path, whose last component must not be a link.
  package init(path: String) {
    self.path = path
    name = path
    folder = AT_FDCWD
  }

  /// A file in a folder that is open.
  init(_ name: String, in folder: FileDescriptor, path: String) {
    self.path = path
    self.name = name
    self.folder = folder.rawValue
  }

  /// Looks at the file without opening it.
  ///
  /// - Parameter longest: The maximum length in bytes.
  func look(longest: Int) throws(FileProblem) -> FileStatus {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      let error = errno
      guard error == ENOENT else { throw FileProblem(path: path, errno: error) }
      throw FileProblem(path: path, reason: "it is missing", isMissing: true)
    }
    return try checked(FileStatus(status), longest)
  }

  package func read(longest: Int, besides own: StoreOwnFiles) throws(FileProblem) -> [UInt8] {
    try check(try look(longest: longest), besides: own)
    let file: ReadableFile
    do throws(Errno) {
      file = try ReadableFile(name, in: FileDescriptor(rawValue: folder))
    } catch {
      throw FileProblem(
        path: path, errno: error.rawValue, isMissing: error == .noSuchFileOrDirectory)
    }
    let status = try checked(file.status, longest)
    try check(status, besides: own)
    do {
      let bytes = try file.readPrefix(Int(status.size))
      if bytes.count == Int(status.size) { return bytes }
    } catch {
      throw FileProblem(path: path, reason: "\(error)")
    }
    throw FileProblem(path: path, reason: "it was cut short while it was read")
  }

  /// Refuses a file that is the store itself, or its log, under another name.
  func check(_ status: FileStatus, besides own: StoreOwnFiles) throws(FileProblem) {
    if let own = own.path(of: status) {
      throw FileProblem(path: path, reason: "it is the store itself, \(own)")
    }
  }

  private func checked(_ status: FileStatus, _ longest: Int) throws(FileProblem) -> FileStatus {
    guard status.kind == .file else {
      throw FileProblem(
        path: path, reason: status.kind == .link ? "it is a link" : "it is not a file")
    }
    guard status.size <= longest else {
      throw FileProblem(
        path: path, reason: "it has \(status.size) bytes (limit \(longest))")
    }
    return status
  }
}

/// The files that SQLite may have open for a store, by device and inode.
package struct StoreOwnFiles {
  private let files: [(path: String, status: FileStatus)]

  package init(_ location: StoreLocation) {
    let paths = [
      location.resolvedPath, location.logPath, location.sharedMemoryPath, location.journalPath,
    ]
    files = paths.compactMap { path in (try? FileStatus(path: path)).map { (path, $0) } }
  }

  /// Returns the path of one of the store's own files, or `nil` for any other file.
  func path(of status: FileStatus) -> String? {
    files.first { $0.status.identity == status.identity }?.path
  }
}
