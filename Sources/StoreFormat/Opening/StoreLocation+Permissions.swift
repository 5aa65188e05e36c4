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
  public func filePermissions() -> FilePermissions {
    var status = stat()
    guard stat(resolvedPath, &status) == 0 else { return .ownerReadWrite }
    return FilePermissions(rawValue: status.st_mode & 0o666 | 0o600)
  }
}
