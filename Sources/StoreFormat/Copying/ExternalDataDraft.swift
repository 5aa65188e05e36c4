import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of large values of a copy, written beside its draft until the copy takes its place.
final class ExternalDataDraft {
  /// Where the folder will be.
  let path: String
  /// Where it is written.
  let temporaryPath: String
  /// Where the folder of a former copy is kept until the new one is safe.
  private let formerPath: String
  private var isPlaced = false

  /// - Parameters:
  ///   - path: Where the copy will be.
  ///   - temporary: Where it is written, in a folder that is removed in the end.
  init(forStoreAt path: String, draftAt temporary: String) {
    self.path = ExternalData(besideStoreAt: path).path
    temporaryPath = ExternalData(besideStoreAt: temporary).path
    formerPath = temporaryPath + "-former"
  }

  /// Whether there is such a folder, and it is not in its place yet.
  var isWritten: Bool { FileMove.entry(at: temporaryPath) != .none }

  /// Puts the folder in its place; that of a former copy is put aside.
  func place() throws(Errno) {
    if FileMove.entry(at: path) != .none { try FileMove.move(path, replacing: formerPath) }
    guard FileMove.entry(at: temporaryPath) != .none else { return }
    try FileMove.move(temporaryPath, replacing: path)
    isPlaced = true
  }

  /// Makes everything as it was before ``place()``.
  func rollBack() {
    if isPlaced { try? FileManager.default.removeItem(atPath: path) }
    if FileMove.entry(at: formerPath) != .none {
      try? FileMove.move(formerPath, replacing: path)
    }
  }
}
