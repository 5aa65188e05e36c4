import Foundation

/// Stores that Apple's frameworks wrote, where this machine has them.
///
/// They are looked for in `HISTCTL_REAL_STORES`, else in a folder beside the checkout.
package enum RealStores {
  private static let checkout = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder, where there is one.
  package static let folder: String? = {
    let named = ProcessInfo.processInfo.environment["HISTCTL_REAL_STORES"]
    let path = named ?? checkout.appendingPathComponent("../shared/stores").standardized.path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// The stores, by name.
  package static let paths: [String] = {
    guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else {
      return []
    }
    return names.sorted()
      .filter {
        !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix(".md") && !$0.hasPrefix(".")
      }
      .map { folder + "/" + $0 }
  }()

  /// An independent decoder that prints what a store's history holds, where there is one.
  package static let oracle: String? = {
    guard let folder else { return nil }
    let path = folder + "/../oracle/oracle.py"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// A store by its file name; nil where it is not there.
  package static func path(_ name: String) -> String? {
    paths.first { $0.hasSuffix("/" + name) }
  }
}
