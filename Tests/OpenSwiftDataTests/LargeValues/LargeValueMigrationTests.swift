import OpenSwiftData
import TestSupport
import Testing

/// The models of photos later: the value has another name, the thumbnails are gone, and another value
/// has come, with a default.
enum NewerPhotos: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Photo.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Photo {
    @Attribute(.unique) var name: String
    @Attribute(.externalStorage, originalName: "data") var content: Data
    @Attribute(.externalStorage) var preview: Data = Data([7])
    @Attribute(.externalStorage) var lines: [String] = []
    init(name: String, content: Data) {
      self.name = name
      self.content = content
    }
  }
}

enum OlderPhotos: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Photo.self, Album.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

/// A plan whose first stage writes and replaces values, and whose second one refuses where it is told.
enum PhotosPlan: SchemaMigrationPlan {
  struct Refused: Error {}
  @TaskLocal static var refuses = false

  static var schemas: [any VersionedSchema.Type] { [OlderPhotos.self, NewerPhotos.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: OlderPhotos.self, toVersion: NewerPhotos.self,
        willMigrate: { context in
          for photo in try context.fetch(FetchDescriptor<Photo>()) {
            photo.data = PhotoStore.value(Int(photo.name) ?? 0, count: 300_000)
          }
          try context.save()
        },
        didMigrate: { context in
          for photo in try context.fetch(FetchDescriptor<NewerPhotos.Photo>()) {
            photo.preview = photo.content
          }
          try context.save()
          if refuses { throw Refused() }
        })
    ]
  }
}

@Suite(.bounded) struct LargeValueMigrationTests {
  /// A store of two photos, one of them with a thumbnail in a file.
  private func store() throws -> PhotoStore {
    let store = try PhotoStore()
    let context = store.context()
    for number in 1...2 {
      context.insert(Photo(name: "\(number)", data: PhotoStore.value(number)))
    }
    try context.save()
    let first = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    first.thumbnail = PhotoStore.value(9)
    try context.save()
    try store.checkFiles(count: 3)
    return store
  }

  private func open(
    _ path: String, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: NewerPhotos.self), migrationPlan: plan,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  @Test func `a migration keeps values and removes the files of removed ones`() async throws {
    let store = try store()
    let context = try open(store.path)
    let photos = try context.fetch(
      FetchDescriptor<NewerPhotos.Photo>(sortBy: [SortDescriptor(\.name)]))
    #expect(photos.map(\.content) == [PhotoStore.value(1), PhotoStore.value(2)])
    #expect(photos.map(\.preview) == [Data([7]), Data([7])])
    #expect(
      try StoreQuery(path: store.path).lines("SELECT DISTINCT ZPREVIEW FROM ZPHOTO") == ["0107"])
    #expect(try store.fileNames().count == 2)
    let verify = try await Tool.histctl.run(["verify", store.path])
    #expect(verify.status == 0, "\(verify.text)\(verify.errors)")
  }

  @Test func `inline values stay in their columns after a migration`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Photos.store")
    func context(_ type: any PersistentModel.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema([type]),
          configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
    }
    let before = try context(PlainPhotos.Photo.self)
    // A value that looks as if it named a file, one of zeros and none at all.
    let values = [Data([2] + Array(repeating: 65, count: 36) + [0]), Data([0, 0]), Data()]
    for (number, value) in values.enumerated() {
      before.insert(PlainPhotos.Photo(name: "\(number)", data: value))
    }
    before.insert(PlainPhotos.Photo(name: "3", data: PhotoStore.value(3)))
    try before.save()

    let after = try context(Photo.self)
    let photos = try after.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.name)]))
    #expect(photos.map(\.data) == values + [PhotoStore.value(3)])
    #expect(
      try StoreQuery(path: path).lines("SELECT DISTINCT hex(substr(ZDATA, 1, 1)) FROM ZPHOTO")
        == ["01"])
    photos[3].data = PhotoStore.value(4)
    try after.save()
    #expect(
      try StoreQuery(path: path).lines("SELECT hex(substr(ZDATA, 1, 1)) FROM ZPHOTO ORDER BY 1")
        == ["01", "01", "01", "02"])
    let verify = try await Tool.histctl.run(["verify", path])
    #expect(verify.status == 0, "\(verify.text)\(verify.errors)")
  }

  @Test func `changes of a migration plan are saved`() throws {
    let store = try store()
    let photos = try open(store.path, plan: PhotosPlan.self).fetch(
      FetchDescriptor<NewerPhotos.Photo>(sortBy: [SortDescriptor(\.name)]))
    #expect(photos.map(\.content) == [1, 2].map { PhotoStore.value($0, count: 300_000) })
    #expect(photos.map(\.preview) == photos.map(\.content))
    #expect(try store.fileNames().count == 4)
  }

  @Test func `a plan that fails leaves the files unchanged`() throws {
    let store = try store()
    let before = try store.fileNames()
    PhotosPlan.$refuses.withValue(true) {
      #expect(throws: PhotosPlan.Refused.self) { _ = try open(store.path, plan: PhotosPlan.self) }
    }
    #expect(try store.fileNames() == before)
    try store.checkFiles(count: 3)
    #expect(try store.data(of: "2") == PhotoStore.value(2))
  }
}
