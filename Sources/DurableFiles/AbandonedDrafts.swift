import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Drafts whose program was killed, so that nobody finishes them.
///
/// Who writes a draft, a file or a folder of files, holds a lock on it. What cannot be locked, or not be
/// looked at, stays.
package enum AbandonedDrafts {
  /// Puts back what a folder holds of a former file.
  ///
  /// - Parameters:
  ///   - target: The file that was to be written in the folder.
  ///   - folder: The folder.
  ///   - isLocked: Whether ``DraftFolder/lockPlace(of:patience:)`` is held.
  /// - Throws: Where that cannot be done; the folder then stays.
  package typealias Recovery = (
    _ target: String, _ folder: String, _ isLocked: Bool
  ) throws -> Void

  /// What stands between the name of a file and what tells its drafts apart.
  package static let mark = ".partial-"

  /// Removes them.
  ///
  /// - Parameters:
  ///   - folder: Where they are.
  ///   - recovery: What is done with a folder before it is removed; nil where drafts are files.
  ///   - isLocked: Whether the caller has the lock of `DraftFolder.lockPlace`.
  ///   - isTarget: Whether drafts of a file of this name go.
  package static func remove(
    in folder: String, recovery: Recovery? = nil, isLocked: Bool = false,
    of isTarget: (String) -> Bool
  ) {
    for name in FolderNames.read(folder) {
      let (target, ending) = split(name)
      guard let ending, !ending.isEmpty, ending.utf8.allSatisfy(isOfMark), isTarget(target) else {
        continue
      }
      let path = folder + "/" + name
      // A file that got its name is whole and no draft; who was killed then has left it a second one.
      // Its lock says nothing, for whoever works on the file may hold it.
      if FileMove.isSameFile(path, folder + "/" + target) {
        FileStatus.remove(path)
      } else {
        removeUnlocked(
          path, recovery, of: folder + "/" + target, isLocked: isLocked)
      }
    }
  }

  /// Whether a name is that of a draft.
  package static func isDraft(_ name: String) -> Bool {
    guard let ending = split(name).1 else { return false }
    return !ending.isEmpty && ending.utf8.allSatisfy(isOfMark)
  }

  /// The folders in which a file is being written, or was when the program was killed.
  package static func folders(of path: String) -> [String] {
    let file = FilePath(path)
    let folder = file.folder
    return FolderNames.read(folder.string)
      .filter { isDraft($0) && split($0).0 == file.lastComponent?.string }
      .map { folder.string + "/" + $0 }
      .filter { FileMove.entry(at: $0) == .folder }
  }

  /// The name of the file, and what tells the draft apart; nil for what is no draft.
  private static func split(_ name: String) -> (String, String?) {
    guard let range = name.ranges(of: mark).last else { return (name, nil) }
    return (String(name[..<range.lowerBound]), String(name[range.upperBound...]))
  }

  private static func isOfMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }

  private static func removeUnlocked(
    _ path: String, _ recovery: Recovery?, of target: String, isLocked: Bool
  ) {
    let entry: FileMove.Entry = recovery == nil ? .file : .folder
    guard FileMove.entry(at: path) == entry,
      let draft = try? FileDescriptor.open(
        FilePath(path), entry == .folder ? .readOnly : .readWrite,
        options: [.closeOnExec, .noFollow, .nonBlocking])
    else { return }
    defer { try? draft.close() }
    guard FileLock.take(draft, at: path) == .taken else { return }
    guard let recovery else { return FileStatus.remove(path) }
    // Whose folder is somebody else's can exchange what is in it while it is being removed.
    var status = stat()
    guard fstat(draft.rawValue, &status) == 0, status.st_uid == geteuid() else { return }
    // What cannot be put back is nowhere else.
    guard (try? recovery(target, path, isLocked)) != nil else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
