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

/// What stands beside a store and goes with it: the folder of its large values, and the values that
/// were recorded of its saves.
///
/// They are written in the folder of the draft and go to their places right before the store does.
/// What belonged to a store that is replaced waits in that folder until then. Where the program is
/// killed between the two, the former store is still there, and whoever clears the folder away puts
/// back what is its own.
struct DraftCompanions {
  /// The store.
  let path: String
  /// The folder of the draft.
  let folder: String

  private let place: String
  private let name: String

  /// - Parameters:
  ///   - path: Where the store will be.
  ///   - folder: The folder in which it is written under its name.
  init(ofStoreAt path: String, draftIn folder: String) {
    self.path = path
    self.folder = folder
    let file = FilePath(path)
    place = file.folder.string
    name = file.lastComponent?.string ?? "store"
  }

  /// Where the finished store waits from the moment at which anything beside it is moved: while it is
  /// there, the former one has not been replaced.
  var finishedStore: String { folder + "/" + name + "-finished" }
  /// The values that were recorded of the former store's saves.
  var formerValues: String { RecordedValuesFile.path(besideStore: path) }
  private var formerFolder: String { folder + "/" + name + "-former" }

  private var names: [String] {
    let largeValues = FilePath(ExternalData(besideStoreAt: path).path).lastComponent?.string
    return [largeValues, RecordedValuesFile.path(besideStore: name)].compactMap(\.self)
  }

  /// Puts what was written in its place, and what is there aside.
  ///
  /// - Parameter overwrites: Whether what is there goes, also where nothing takes its place.
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` where a place is taken that is to be free.
  func putInPlace(overwrites: Bool) throws(StoreWriteError) {
    let written = names.filter { FileMove.entry(at: folder + "/" + $0) != .none }
    let former = names.filter { FileMove.entry(at: place + "/" + $0) != .none }
    for name in written where !overwrites {
      for suffix in [""] + StoreDraft.companions
      where FileMove.entry(at: place + "/" + name + suffix) != .none {
        throw .alreadyThere(path: place + "/" + name + suffix)
      }
    }
    do throws(Errno) {
      try FileMove.move(folder + "/" + name, replacing: finishedStore)
      guard !written.isEmpty || overwrites && !former.isEmpty else { return }
      try make(formerFolder)
      for name in former where overwrites {
        try FileMove.move(place + "/" + name, replacing: formerFolder + "/" + name)
        removeLog(of: name)
      }
      for name in written {
        try write(mark(of: name))
        removeLog(of: name)
        try FileMove.move(folder + "/" + name, replacing: place + "/" + name)
      }
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Makes everything as it was before ``putInPlace(overwrites:)``, while nobody else is at work there.
  func putBack() throws(Errno) { try putBack(isAlone: true) }

  /// Puts back what belongs to a former store in whose place the new one has not come, because the
  /// program was killed before.
  ///
  /// Whoever uses the former store meanwhile may have added large values, which stay.
  ///
  /// - Throws: `Errno.notPermitted` where somebody else has made the folder, who could give what he
  ///   likes to a store.
  func recover() throws(Errno) {
    guard FileMove.entry(at: finishedStore) != .none, !FileMove.isSameFile(finishedStore, path)
    else { return }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_uid == geteuid() else { throw .notPermitted }
    try putBack(isAlone: false)
  }

  private func putBack(isAlone: Bool) throws(Errno) {
    guard FileMove.entry(at: formerFolder) == .folder else { return }
    for name in names {
      let (present, former) = (place + "/" + name, formerFolder + "/" + name)
      let isPlaced =
        FileMove.entry(at: mark(of: name)) == .file
        && FileMove.entry(at: folder + "/" + name) == .none
      guard FileMove.entry(at: former) != .none else {
        // Beside a store that has been made or used since then it may have become that store's own.
        if isPlaced, isAlone || FileMove.entry(at: path) == .none { try remove(present) }
        continue
      }
      if !isAlone, FileMove.entry(at: former) == .folder, FileMove.entry(at: present) == .folder {
        try merge(former, into: present, depth: 0)
      } else {
        try remove(present)
        removeLog(of: name)
        try FileMove.move(former, replacing: present)
      }
    }
    try remove(formerFolder)
  }

  /// Moves files into a folder, in which others may be as well.
  private func merge(_ folder: String, into target: String, depth: Int) throws(Errno) {
    for name in FolderNames.read(folder) where name != "." && name != ".." {
      let (source, place) = (folder + "/" + name, target + "/" + name)
      if FileMove.entry(at: source) == .folder, FileMove.entry(at: place) == .folder,
        depth < ExternalData.deepest
      {
        try merge(source, into: place, depth: depth + 1)
      } else {
        try FileMove.move(source, replacing: place)
      }
    }
  }

  /// Says that something was put in the place of a name, or was about to be.
  private func mark(of name: String) -> String { formerFolder + "/" + name + ".placed" }

  /// Removes what SQLite keeps beside a file, which would be taken for that of the next one.
  private func removeLog(of name: String) {
    for suffix in StoreDraft.companions { FileStatus.remove(place + "/" + name + suffix) }
  }

  private func make(_ folder: String) throws(Errno) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
  }

  private func write(_ mark: String) throws(Errno) {
    let file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    close(file)
  }

  private func remove(_ path: String) throws(Errno) {
    guard FileMove.entry(at: path) != .none else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Errno.ioError
    }
  }
}
