import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The path of a store, or a pattern of the paths of many.
struct StorePattern {
  /// The path, or the pattern as it was written.
  let text: String
  private let pattern: String?

  /// Takes a path over; `*`, `?` and `[…]` make a pattern of it.
  init(_ text: String, in folder: ConfigFolder) {
    let (start, rest) = folder.parts(of: text)
    self.text = start + rest
    if rest.contains(where: { "*?[".contains($0) }) {
      // The folder itself is no pattern, whatever it is called.
      pattern = start.reduce(into: "") { $0 += "\\*?[]".contains($1) ? "\\\($1)" : "\($1)" } + rest
    } else {
      pattern = nil
    }
  }

  /// The paths of the files that it stands for, in their order; without a pattern the path itself,
  /// whether it is there or not.
  func paths() throws(Failure) -> [String] {
    guard let pattern else { return [text] }
    var found = glob_t()
    defer { globfree(&found) }
    let result = glob(pattern, 0, nil, &found)
    guard result == 0 || result == GLOB_NOMATCH else {
      throw Failure(
        status: .cannotReadOrWrite, kind: "unreadable", message: "cannot look for \(text)",
        hint: "check the folders in it")
    }
    guard result == 0 else { return [] }
    var paths: [String] = []
    for index in 0..<Int(found.gl_pathc) {
      guard let path = found.gl_pathv[index].map({ String(cString: $0) }) else { continue }
      if Self.isFile(path), !StoreLocation.isCompanion(path) { paths.append(path) }
    }
    return paths
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
