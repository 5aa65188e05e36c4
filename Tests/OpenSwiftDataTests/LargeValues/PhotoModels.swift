import OpenSwiftData
import TestSupport
import Testing

@Model
final class Album {
  @Attribute(.unique) var title: String
  @Relationship(deleteRule: .cascade, inverse: \Photo.album) var photos: [Photo] = []

  init(title: String) { self.title = title }
}

@Model
final class Photo {
  @Attribute(.unique) var name: String
  @Attribute(.externalStorage, .preserveValueOnDeletion) var data: Data
  @Attribute(.externalStorage) var thumbnail: Data?
  @Attribute(.externalStorage) var lines: [String] = []
  var album: Album?

  init(name: String, data: Data = Data(), album: Album? = nil) {
    self.name = name
    self.data = data
    self.album = album
  }
}

/// A store of photos in a folder of its own, and the files beside it.
struct PhotoStore {
  let folder: TemporaryFolder
  let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try Self.open(folder.file("Photos.store"))
  }

  var path: String { folder.file("Photos.store") }
  static let support = ".Photos_SUPPORT"
  static let files = support + "/_EXTERNAL_DATA"
  var filesPath: String { folder.file(Self.files) }

  /// A container like that of another program that has the store open.
  static func open(_ path: String, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: Photo.self,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: path), allowsSave: allowsSave))
  }

  func context(author: String? = nil) -> ModelContext {
    let context = ModelContext(container)
    context.author = author
    return context
  }

  /// A value of some bytes that differs by its number.
  static func value(_ number: Int, count: Int = 200_000) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
  }

  /// Saves a photo with a large value.
  @discardableResult
  func save(_ name: String = "Forum", _ number: Int = 1) throws -> ModelContext {
    let context = context()
    context.insert(Photo(name: name, data: Self.value(number)))
    try context.save()
    return context
  }

  /// The names of all files beside the store.
  func fileNames() throws -> [String] { try ExternalFiles.names(in: filesPath) }

  /// The names that the rows say, read by SQL alone.
  func namedFiles() throws -> [String] {
    try ["ZDATA", "ZTHUMBNAIL", "ZLINES"].flatMap { column in
      try StoreQuery(path: path).lines(
        "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM ZPHOTO "
          + "WHERE substr(\(column), 1, 1) = x'02' AND length(\(column)) = 38 "
          + "AND substr(\(column), 38) = x'00'")
    }.sorted()
  }

  /// Checks that there are files for what rows name, and no others.
  func checkFiles(count: Int, _ location: SourceLocation = #_sourceLocation) throws {
    let names = try fileNames()
    #expect(try names == namedFiles(), sourceLocation: location)
    #expect(names.count == count, sourceLocation: location)
  }

  /// The bytes of a photo as a program reads them that has just opened the store.
  func data(of name: String) throws -> Data? {
    let context = ModelContext(try Self.open(path))
    return try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.name == name }))
      .first?.data
  }
}

/// Files of large values, looked at without the library.
enum ExternalFiles {
  /// The names in a folder, sorted; none where there is no folder.
  static func names(in folder: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Makes all files in a folder look as if they had been written long ago.
  static func age(in folder: String) throws {
    for name in try names(in: folder) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: folder + "/" + name)
    }
  }
}
