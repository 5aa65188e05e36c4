import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of large values of a copy, written under another name until the copy takes its place.
struct ExternalDataDraft {
  /// Where the folder will be.
  let path: String
  /// Where it is written.
  let temporaryPath: String
  /// Where the folder of a former copy is kept until the new one is safe.
  private let formerPath: String
  private var isPlaced = false

  init(forStoreAt path: String, draftAt temporary: String) {
    let mark = temporary.dropFirst(path.count)
    self.path = ExternalData(besideStoreAt: path).path
    temporaryPath = self.path + mark
    formerPath = self.path + mark + "-former"
  }

  /// Puts the folder in its place; that of a former copy is put aside.
  mutating func place() throws(Errno) {
    if FileMove.entry(at: path) != .none { try FileMove.move(path, replacing: formerPath) }
    guard FileMove.entry(at: temporaryPath) != .none else { return }
    try FileMove.move(temporaryPath, replacing: path)
    isPlaced = true
  }

  /// Forgets the folder of the former copy.
  func finish() { Self.remove(formerPath) }

  /// Makes everything as it was.
  func rollBack() {
    if isPlaced { Self.remove(path) }
    Self.remove(temporaryPath)
    if FileMove.entry(at: formerPath) != .none {
      try? FileMove.move(formerPath, replacing: path)
    }
  }

  private static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }
}
