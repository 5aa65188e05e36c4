import DurableFiles
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How much room file systems have.
package enum FreeSpace {
  /// The bytes that this user can still write in a folder.
  package static func byteCount(inFolder path: String) throws(Errno) -> Int64 {
    var status = statvfs()
    while statvfs(path, &status) != 0 {
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
    let (bytes, overflow) = Int64(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
    return overflow ? .max : bytes
  }

  /// Whether SQLite puts its temporary files on the file system of a folder.
  package static func isTemporaryFolder(onFileSystemOf path: String) throws(Errno) -> Bool {
    // The folders that SQLite tries, in its order.
    let named = ["SQLITE_TMPDIR", "TMPDIR"].compactMap { (name: String) -> String? in
      getenv(name).map { String(cString: $0) }
    }
    let temporary = (named + ["/var/tmp", "/usr/tmp", "/tmp"]).first {
      FileStatus.canCreateFiles(inFolder: $0)
    }
    guard let temporary, let other = try FileStatus(path: temporary),
      let mine = try FileStatus(path: path)
    else { return true }
    return other.device == mine.device
  }
}
