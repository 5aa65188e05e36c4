import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The names in a folder.
package enum FolderNames {
  #if canImport(Darwin)
  private typealias Stream = UnsafeMutablePointer<DIR>
  #else
  private typealias Stream = OpaquePointer
  #endif

  /// All names, in no order; none where the folder cannot be read.
  package static func read(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    return names(stream)
  }

  /// The same for a folder that is open, which stays so.
  package static func read(_ folder: FileDescriptor) -> [String] {
    guard let copy = try? folder.duplicate() else { return [] }
    guard let stream = fdopendir(copy.rawValue) else {
      try? copy.close()
      return []
    }
    defer { closedir(stream) }
    // Both read from one place in the folder.
    rewinddir(stream)
    return names(stream)
  }

  private static func names(_ stream: Stream) -> [String] {
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }
}
