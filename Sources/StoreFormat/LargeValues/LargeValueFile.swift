import DurableFiles

/// A value that a column leaves to a file beside the store, as a fetch has found it.
///
/// The fetch looks whether the file is there; it is read when the value is asked for.
package struct LargeValueFile: Hashable, Sendable {
  private let folder: LargeValueFolder
  private let name: LargeValueName?
  private let object: StoreObject
  private let attribute: String
  /// How many bytes the value has; 0 where it cannot be read.
  package let byteCount: Int
  /// Why the value cannot be read; nil where it can.
  package let problem: StoreError?
  /// Whether the file is missing.
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

  /// Reads the value.
  ///
  /// The file of a value that others have replaced or deleted since the fetch may be gone.
  ///
  /// - Throws: ``StoreError/largeValue(path:place:file:reason:)``.
  package func read() throws(StoreError) -> [UInt8] {
    if let problem, !isMissing { throw problem }
    guard let name else { return [] }
    do throws(FileProblem) {
      return try folder.read(name)
    } catch {
      throw folder.error(error, of: object, attribute)
    }
  }

  /// Whether both are the same file.
  package static func == (left: LargeValueFile, right: LargeValueFile) -> Bool {
    left.folder == right.folder && left.name == right.name && left.problem == right.problem
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension LargeValueFolder {
  /// A problem in terms of the store.
  func error(
    _ problem: FileProblem, of object: StoreObject, _ attribute: String
  ) -> StoreError {
    .largeValue(
      path: storePath, place: Self.place(of: object, attribute), file: problem.path,
      reason: problem.reason)
  }

  /// An object's attribute in words.
  package static func place(of object: StoreObject, _ attribute: String) -> String {
    "\(object.entityName)/p\(object.primaryKey ?? 0), \(attribute)"
  }
}
