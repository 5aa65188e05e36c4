import SystemPackage

/// Why a file beside a store cannot be read or written.
package struct FileProblem: Error, Hashable {
  /// The file, or its folder.
  package let path: String
  /// Why.
  package let reason: String
  /// Whether there is no such file.
  package let isMissing: Bool

  package init(path: String, reason: String, isMissing: Bool = false) {
    self.path = path
    self.reason = reason
    self.isMissing = isMissing
  }

  package init(path: String, errno: CInt, isMissing: Bool = false) {
    self.init(path: path, reason: Errno(rawValue: errno).description, isMissing: isMissing)
  }
}
