import DurableFiles
import SystemPackage

/// A value in a file beside the store, as a fetch found it.
///
/// The fetch checks whether the file exists; ``read()`` reads it.
package struct LargeValueFile: Hashable, Sendable {
  private let folder: LargeValueFolder
  private let name: LargeValueName?
  private let object: StoreObject
  private let attribute: String
  /// How many bytes the value has; 0 where it cannot be read.
  package let byteCount: Int
  /// Why the value cannot be read, or `nil` where it can.
  package let problem: StoreError?
  let isMissing: Bool

  init(
    _ folder: LargeValueFolder, _ name: LargeValueName?, of object: StoreObject,
    _ attribute: String, byteCount: Int, problem: StoreError?, isMissing: Bool = false
  ) {
    self.folder = folder
    self.name = name
    self.object = object
    self.attribute = attribute
    self.byteCount = byteCount
    self.problem = problem
    self.isMissing = isMissing
  }

  /// The name of the file, or `nil` where the column names none.
  var fileName: String? { name?.text }

  /// Reads the value.
  ///
  /// Fails where another program has replaced or deleted the value since the fetch.
  ///
  /// - Throws: ``StoreError/largeValue(path:place:file:reason:)``.
  package func read() throws(StoreError) -> [UInt8] {
    if let problem, !isMissing { throw problem }
    guard let name else {
      throw problem
        ?? .damaged(
          path: folder.storePath, place: LargeValueFolder.place(of: object, attribute),
          detail: "it names no file")
    }
    do throws(FileProblem) {
      return try folder.read(name)
    } catch {
      throw folder.error(error, of: object, attribute)
    }
  }

  package static func == (left: LargeValueFile, right: LargeValueFile) -> Bool {
    left.folder == right.folder && left.name == right.name && left.problem == right.problem
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension LargeValueFolder {
  func error(
    _ problem: FileProblem, of object: StoreObject, _ attribute: String
  ) -> StoreError {
    .largeValue(
      path: storePath, place: Self.place(of: object, attribute), file: problem.path,
      reason: problem.reason)
  }

  static func place(of object: StoreObject, _ attribute: String) -> String {
    "\(object.entityName)/p\(object.primaryKey ?? 0), \(attribute)"
  }
}

/// Interprets the columns of attributes that may keep large values in files.
package final class LargeValueReader {
  private let folder: LargeValueFolder
  private let location: StoreLocation
  /// Computed once, not for each value.
  private lazy var ownFiles = StoreOwnFiles(location)
  private var opened: Result<FileDescriptor?, FileProblem>?
  /// The files that are named and not there.
  package private(set) var missing: Set<LargeValueName> = []

  package init(_ location: StoreLocation) {
    self.location = location
    folder = LargeValueFolder(location)
  }

  deinit {
    if case .success(let descriptor?)? = opened { try? descriptor.close() }
  }

  /// Returns the value of a column, or the file that holds it.
  package func value(
    of stored: StoredValue, in object: StoreObject, _ attribute: String
  ) -> (value: StoredValue, file: LargeValueFile?) {
    guard case .blob(let bytes) = stored else { return (stored, nil) }
    do throws(LargeValueColumn.Malformed) {
      switch try LargeValueColumn(bytes) {
      case .inline(let value): return (.blob(value), nil)
      case .file(let name): return (.null, file(name, object, attribute))
      }
    } catch {
      let problem = StoreError.damaged(
        path: folder.storePath, place: LargeValueFolder.place(of: object, attribute),
        detail: error.text)
      return (
        .null, LargeValueFile(folder, nil, of: object, attribute, byteCount: 0, problem: problem)
      )
    }
  }

  private func file(
    _ name: LargeValueName, _ object: StoreObject, _ attribute: String
  ) -> LargeValueFile {
    do throws(FileProblem) {
      guard let descriptor = try open() else {
        throw FileProblem(
          path: folder.path(of: name), reason: "it is missing", isMissing: true)
      }
      let status = try folder.look(at: name, in: descriptor, besides: ownFiles)
      return LargeValueFile(
        folder, name, of: object, attribute, byteCount: Int(status.size), problem: nil)
    } catch {
      if error.isMissing { missing.insert(name) }
      return LargeValueFile(
        folder, name, of: object, attribute, byteCount: 0,
        problem: folder.error(error, of: object, attribute), isMissing: error.isMissing)
    }
  }

  private func open() throws(FileProblem) -> FileDescriptor? {
    if let opened { return try opened.get() }
    do throws(FileProblem) {
      let descriptor = try folder.open()
      opened = .success(descriptor)
      return descriptor
    } catch {
      opened = .failure(error)
      throw error
    }
  }
}
