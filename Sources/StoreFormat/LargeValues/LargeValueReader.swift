import DurableFiles
import SystemPackage

/// Finds out during a fetch what the columns say whose large values stand in files.
final class LargeValueReader {
  private let folder: LargeValueFolder
  private let location: StoreLocation
  /// Found out once, and not again for each value.
  private lazy var ownFiles = StoreOwnFiles(location)
  private var opened: Result<FileDescriptor?, FileProblem>?
  /// The files that are named and not there.
  private(set) var missing: Set<LargeValueName> = []

  init(_ location: StoreLocation) {
    self.location = location
    folder = LargeValueFolder(location)
  }

  deinit {
    if case .success(let descriptor?)? = opened { try? descriptor.close() }
  }

  /// The value of a column, or the file that it is left to.
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
