import DurableFiles
import StoreFormat
import SystemPackage

/// The files that one save writes and makes superfluous.
///
/// Files are written before the save waits for SQLite's lock, so that nobody is kept waiting for a
/// disk that writes much. They are safe on the disk before the save is committed, and files that no
/// row names any more are removed after that. So a program that is killed, at whatever moment, leaves
/// files that no row names at worst, and ``LargeValueSweep`` finds them.
final class LargeValueWriter {
  private struct Key: Hashable {
    let object: StoreObject
    let attribute: String
  }

  private(set) lazy var folder = LargeValueFolder(location)
  private let location: StoreLocation
  private let placement: LargeValuePlacement
  private var descriptor: FileDescriptor?
  /// Values that were written before it was known under the lock what becomes of them.
  private var staged: [Key: LargeValueName] = [:]
  private var written: Set<LargeValueName> = []
  /// What the files hold that this save has written.
  private var contents: [LargeValueName: [UInt8]] = [:]
  /// The files that rows name by this save.
  private(set) var named: Set<LargeValueName> = []
  /// The files that rows named before it.
  private(set) var replaced: Set<LargeValueName> = []
  /// Whether committing has begun: what has failed then may still come true, when SQLite finds all of
  /// it in its log.
  var isCommitting = false

  init(_ location: StoreLocation, _ placement: LargeValuePlacement) {
    self.location = location
    self.placement = placement
  }

  deinit { try? descriptor?.close() }

  /// Whether the save has to do with files.
  var isUsed: Bool { !written.isEmpty || !replaced.isEmpty }

  // MARK: - Before the commit

  /// Writes the large values of a save, as far as the model is known.
  ///
  /// - Parameter attributes: The attributes by entity whose large values stand in files.
  /// - Throws: ``StoreWriteError``; nothing is left then.
  func stage(_ save: StoreSave, _ attributes: [String: Set<String>]) throws {
    guard placement == .files, !attributes.isEmpty else { return }
    do {
      for (object, content) in save.inserted + save.updated {
        guard let own = attributes[object.entityName] else { continue }
        for (attribute, value) in content.values where own.contains(attribute) {
          guard case .blob(let bytes) = value, bytes.count > LargeValueColumn.longestInline else {
            continue
          }
          staged[Key(object: object, attribute: attribute)] = try write(bytes)
        }
      }
      try synchronize()
    } catch {
      discard()
      throw error
    }
  }

  /// What the column of an attribute holds for a value, whose file is safe on the disk by then.
  ///
  /// - Throws: ``StoreWriteError``.
  func column(
    for value: StoredValue, of object: StoreObject, _ attribute: String
  ) throws -> StoredValue {
    guard case .blob(let bytes) = value else { return value }
    guard placement == .files, bytes.count > LargeValueColumn.longestInline else {
      return LargeValueColumn.inline(bytes).stored
    }
    var name = staged[Key(object: object, attribute: attribute)]
    // From here on the lock keeps it; a program that slept for long may find it swept away.
    if let written = name, !isThere(written, byteCount: bytes.count) { name = nil }
    if name == nil {
      name = try write(bytes)
      try synchronize()
    }
    guard let name else { return value }
    named.insert(name)
    return LargeValueColumn.file(name).stored
  }

  /// The value that a file holds, which need not be read where this save has written it.
  func bytes(of name: LargeValueName) throws(FileProblem) -> [UInt8] {
    if let known = contents[name] { return known }
    return try folder.read(name)
  }

  /// Notes what a column held that is about to hold something else, or is gone.
  func replaces(_ stored: StoredValue) {
    guard case .blob(let bytes) = stored, case .file(let name)? = try? LargeValueColumn(bytes)
    else { return }
    replaced.insert(name)
  }

  private func isThere(_ name: LargeValueName, byteCount: Int) -> Bool {
    guard let descriptor else { return false }
    return (try? folder.look(at: name, in: descriptor))?.size == Int64(byteCount)
  }

  private func write(_ bytes: [UInt8]) throws -> LargeValueName {
    let name = LargeValueName.random()
    do throws(FileProblem) {
      guard bytes.count <= LargeValueFolder.longestValue else {
        throw FileProblem(
          path: folder.path(of: name),
          reason: "the value has \(bytes.count) bytes, and at most "
            + "\(LargeValueFolder.longestValue) are written")
      }
      let permissions = location.filePermissions()
      let opened: FileDescriptor
      if let descriptor {
        opened = descriptor
      } else {
        opened = try folder.openOrMake(permissions)
        descriptor = opened
      }
      // Before, for a part of it may be there when writing fails.
      written.insert(name)
      try folder.write(bytes, as: name, in: opened, permissions)
      contents[name] = bytes
    } catch {
      throw StoreWriteError(error)
    }
    return name
  }

  private func synchronize() throws {
    guard let descriptor else { return }
    do throws(FileProblem) {
      try folder.synchronize(descriptor)
    } catch {
      throw StoreWriteError(error)
    }
  }

  // MARK: - After it

  /// Removes what was written and is not named after all.
  func removeUnused() { folder.remove(written.subtracting(named)) }

  /// Removes everything that was written; where committing had begun, nothing.
  func discard() {
    guard !isCommitting else { return }
    folder.remove(written)
    written = []
  }
}
