// The list of environment variables is a mutable global in C; this program never changes it.
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#else
@preconcurrency import Glibc
#endif

/// The environment variables that this process was started with.
package enum ProcessEnvironment {
  /// Those of the given names that are set; bytes that are not UTF-8 are repaired, and of a name's
  /// entries the first counts.
  package static func variables(named names: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for name in names {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }

  /// Calls `body` with the environment for a child: this process's own, byte for byte, with
  /// the given variables set.
  package static func withChildEnvironment<Result>(
    setting changes: [String: String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let changed = changes.map { strdup("\($0.key)=\($0.value)") }
    defer { for entry in changed { free(entry) } }
    let kept = entries().filter { entry in
      guard let separator = strchr(entry, Int32(UInt8(ascii: "="))) else { return true }
      let name = UnsafeRawBufferPointer(start: entry, count: separator - entry)
      return changes[String(decoding: name, as: UTF8.self)] == nil
    }
    return body(kept + changed + [nil])
  }

  private static func entries() -> [UnsafeMutablePointer<CChar>] {
    #if canImport(Darwin)
    let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = _NSGetEnviron().pointee
    #else
    let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    #endif
    guard let list else { return [] }
    var entries: [UnsafeMutablePointer<CChar>] = []
    while let entry = list[entries.count] { entries.append(entry) }
    return entries
  }
}
