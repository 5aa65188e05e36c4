import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension StoreLocation {
  /// Who may read and write the store, for files that are made out of it and must not be more widely
  /// readable; only the owner where that cannot be found out.
  package func filePermissions() -> FilePermissions {
    var status = stat()
    guard stat(resolvedPath, &status) == 0 else { return .ownerReadWrite }
    return FilePermissions(rawValue: status.st_mode & 0o666 | 0o600)
  }

  /// Gives a file that belongs to the store, and that an administrator has made, the store's owner and
  /// group: what is only the administrator's the app could not open.
  package func giveOwner(to path: String) {
    var status = stat()
    guard geteuid() == 0, stat(resolvedPath, &status) == 0 else { return }
    _ = chown(path, status.st_uid, status.st_gid)
  }
}
