import DurableFiles
import StoreFormat
import StoreTransactions
import Synchronization
import SystemPackage

/// The files of large values that one save writes and makes obsolete.
///
/// Files are written before the save waits for SQLite's lock, so that nobody waits for the disk while
/// the store is locked. They are safe on the disk before the save is committed, and obsolete files are
/// removed afterwards. A program that is killed at any moment leaves at most files that no row names,
/// and ``StoreEditor/sweepLargeValues()`` removes them.
final class LargeValueWriter {
  private struct Key: Hashable {
    let object: StoreObject
    let attribute: String
  }

  private(set) lazy var folder = LargeValueFolder(location)
  private let location: StoreLocation
  private var descriptor: FileDescriptor?
  /// The files that were written before the store was locked.
  private var staged: [Key: LargeValueName] = [:]
  private var written: Set<LargeValueName> = []
  /// The contents of the files that this save has written.
  private var contents: [LargeValueName: [UInt8]] = [:]
  /// The files that rows name after this save.
  private(set) var named: Set<LargeValueName> = []
  /// The files that rows named before it.
  private(set) var replaced: Set<LargeValueName> = []
  /// Whether the commit has begun: a failed commit may still take effect if SQLite finds all of it in
  /// its log.
  var isCommitting = false

  init(_ location: StoreLocation) { self.location = location }

  deinit { try? descriptor?.close() }

  /// Whether the save writes or replaces files.
  var isUsed: Bool { !written.isEmpty || !replaced.isEmpty }

  // MARK: - Before the commit

  /// Writes the large values of a save.
  ///
  /// - Parameter schema: The schema, as far as it is known before the store is locked.
  /// - Throws: ``StoreWriteError``; no file is left then.
  func stage(_ save: StoreSave, _ schema: ObjectSchema) throws {
    guard schema.keepsLargeValues else { return }
    do {
      for (object, content) in save.inserted + save.updated {
        for (attribute, value) in content.values {
          guard case .blob(let bytes) = value, bytes.count > LargeValueColumn.longestInline,
            schema.columns(of: object.entityName)?[attribute]?.keepsLargeValues ?? false
          else { continue }
          staged[Key(object: object, attribute: attribute)] = try write(bytes)
        }
      }
      try synchronize()
    } catch {
      discard()
      throw error
    }
  }

  /// Returns the column value of an attribute; the file that it names is safe on the disk.
  func column(
    for value: StoredValue, of object: StoreObject, _ attribute: String
  ) throws -> StoredValue {
    guard case .blob(let bytes) = value else { return value }
    guard bytes.count > LargeValueColumn.longestInline else {
      return LargeValueColumn.inline(bytes).stored
    }
    var name = staged[Key(object: object, attribute: attribute)]
    // While the store is locked no sweep removes it; a program that slept for long may have lost it.
    if let written = name, !exists(written, byteCount: bytes.count) { name = nil }
    if name == nil {
      name = try write(bytes)
      try synchronize()
    }
    guard let name else { return value }
    named.insert(name)
    return LargeValueColumn.file(name).stored
  }

  /// Returns the value in a file, without reading it if this save has written it.
  func bytes(of name: LargeValueName) throws(FileProblem) -> [UInt8] {
    if let known = contents[name] { return known }
    return try folder.read(name)
  }

  /// Notes the file that a column names and that is about to become obsolete. A column that names none
  /// in a known way replaces none.
  func replaces(_ stored: StoredValue) {
    guard case .blob(let bytes) = stored, case .file(let name)? = try? LargeValueColumn(bytes)
    else { return }
    replaced.insert(name)
  }

  private func exists(_ name: LargeValueName, byteCount: Int) -> Bool {
    guard let descriptor else { return false }
    return (try? folder.look(at: name, in: descriptor))?.size == Int64(byteCount)
  }

  private func write(_ bytes: [UInt8]) throws -> LargeValueName {
    let name = LargeValueName.random()
    do {
      guard bytes.count <= LargeValueFolder.longestValue else {
        throw FileProblem(
          path: folder.path(of: name),
          reason: "the value has \(bytes.count) bytes (limit \(LargeValueFolder.longestValue))")
      }
      let permissions = location.filePermissions()
      let opened = try descriptor ?? folder.openOrMake(permissions)
      descriptor = opened
      // Noted first, because a part of it may exist if writing fails.
      written.insert(name)
      try folder.write(bytes, as: name, in: opened, permissions)
      contents[name] = bytes
    } catch let problem as FileProblem {
      throw StoreWriteError(problem)
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

  // MARK: - After the commit

  /// Removes files that were written and that no row names after all.
  func removeUnused() { folder.remove(written.subtracting(named)) }

  /// Removes all files that were written, unless the commit had begun.
  func discard() {
    guard !isCommitting else { return }
    folder.remove(written)
    written = []
  }
}

/// The files that saves have written and made obsolete, as long as it is not certain that the saves
/// will last.
///
/// Such saves are part of a migration, or of a store that waits for the disk only when it is closed: a
/// loss of power may bring back the rows that named the files.
final class LargeValueLedger: Sendable {
  private typealias Names = (written: Set<LargeValueName>, replaced: Set<LargeValueName>)

  private let names = Mutex<Names>(([], []))

  /// Notes the files of a save.
  ///
  /// - Parameter written: The files that are obsolete if none of the saves lasts.
  func note(written: Set<LargeValueName> = [], replaced: Set<LargeValueName>) {
    names.withLock {
      $0.written.formUnion(written)
      $0.replaced.formUnion(replaced)
    }
  }

  /// Removes the replaced files: all saves will last.
  func settle(in folder: LargeValueFolder) { folder.remove(take().replaced) }

  /// Removes the written files: no save will last.
  func discard(in folder: LargeValueFolder) { folder.remove(take().written) }

  /// Forgets everything: it is unknown whether the saves will last.
  func forget() { _ = take() }

  private func take() -> Names {
    names.withLock { names in
      defer { names = ([], []) }
      return names
    }
  }
}
