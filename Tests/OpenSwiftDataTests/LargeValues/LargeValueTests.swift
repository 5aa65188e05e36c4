import OpenSwiftData
import TestSupport
import Testing

/// Values of attributes marked with `.externalStorage`, in the column or in a file beside the store.
@Suite(.bounded) struct LargeValueTests {
  @Test func `small values are stored in the column and large ones in a file`() async throws {
    let store = try PhotoStore()
    let context = store.context()
    let (small, large) = (
      PhotoStore.value(1, count: 131_072), PhotoStore.value(2, count: 131_073)
    )
    context.insert(Photo(name: "small", data: small))
    let photo = Photo(name: "large", data: large)
    photo.lines = ["a", "b"]
    context.insert(photo)
    context.insert(Photo(name: "empty"))
    try context.save()

    let sqlite = try #require(Tool("sqlite3"))
    let rows = try await sqlite.run([
      store.path,
      """
      SELECT ZNAME, hex(substr(ZDATA, 1, 1)), length(ZDATA), typeof(ZTHUMBNAIL),
        hex(ZLINES) FROM ZPHOTO ORDER BY ZNAME
      """,
    ])
    let empty = "01" + Data("[]".utf8).map { String($0, radix: 16) }.joined().uppercased()
    let lines = "01" + Data(#"["a","b"]"#.utf8).map { String($0, radix: 16) }.joined().uppercased()
    #expect(
      rows.lines == [
        "empty|01|1|null|\(empty)", "large|02|38|null|\(lines)", "small|01|131073|null|\(empty)",
      ])
    try store.checkFiles(count: 1)
    let name = try #require(try store.fileNames().first)
    #expect(name == UUID(uuidString: name)?.uuidString)
    #expect(try FileBytes.read(store.filesPath + "/" + name) == Array(large))
    #expect(try store.data(of: "small") == small)
    #expect(try store.data(of: "large") == large)
    #expect(try store.data(of: "empty") == Data())
    let other = ModelContext(try PhotoStore.open(store.path))
    let found = try other.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.lines) == [[], ["a", "b"], []])
    #expect(found.map(\.thumbnail) == [nil, nil, nil])
  }

  @Test func `a model without external storage is refused`() async throws {
    let store = try PhotoStore()
    try store.save()
    // Values in files do not move into columns.
    let error = try #require(throws: SwiftDataError.self) {
      _ = try ModelContainer(
        for: PlainPhotos.Photo.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: store.path)))
    }
    #expect(error == .loadIssueModelContainer)
    #expect(error.explanation.contains("files beside the store"), "\(error)")
    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return }
    let decoded = try await python.run([oracle, store.path])
    #expect(decoded.status == 0, "\(decoded.errors)")
    let verify = try await Tool.histctl.run(["verify", store.path])
    #expect(verify.status == 0, "\(verify.text)\(verify.errors)")
  }

  @Test func `a replaced value leaves no file`() throws {
    let store = try PhotoStore()
    let context = try store.save()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    let first = try store.fileNames()
    photo.data = PhotoStore.value(2)
    photo.thumbnail = PhotoStore.value(3)
    try context.save()
    try store.checkFiles(count: 2)
    #expect(try Set(first).isDisjoint(with: store.fileNames()))
    #expect(try store.data(of: "Forum") == PhotoStore.value(2))
    photo.data = Data([1])
    photo.thumbnail = nil
    try context.save()
    try store.checkFiles(count: 0)
    #expect(try store.data(of: "Forum") == Data([1]))
    // A save of something else leaves files alone.
    photo.data = PhotoStore.value(4)
    try context.save()
    let kept = try store.fileNames()
    photo.name = "Foro"
    try context.save()
    #expect(try store.fileNames() == kept)
    try store.checkFiles(count: 1)
  }

  @Test func `a file that cannot be read is an error of the context`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = store.context()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    let file = store.filesPath + "/" + (try #require(try store.fileNames().first))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: file)
    #expect(context.lastError == nil)
    #expect(photo.data.isEmpty)
    #expect(context.lastError != nil)
    // What is made of the blank value must not replace the value of the store.
    photo.data.append(1)
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    context.rollback()
    #expect(context.lastError == nil)
    try bytes.write(to: URL(fileURLWithPath: file))
    #expect(photo.data == PhotoStore.value(1))
    photo.data.append(1)
    try context.save()
    #expect(context.lastError == nil)
    #expect(try store.data(of: "Forum") == PhotoStore.value(1) + [1])
  }

  @Test func `an unreadable value can be replaced beside an undo manager`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = store.context()
    context.undoManager = UndoManager()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    for name in try store.fileNames() {
      try FileManager.default.removeItem(atPath: store.filesPath + "/" + name)
    }
    photo.data = Data([1])
    #expect(context.lastError != nil)
    try context.save()
    #expect(try store.data(of: "Forum") == Data([1]))
  }

  @Test func `deleted models leave no files`() throws {
    let store = try PhotoStore()
    let context = store.context()
    let album = Album(title: "Rome")
    album.photos = (1...3).map { Photo(name: "\($0)", data: PhotoStore.value($0)) }
    context.insert(album)
    for number in 4...6 { context.insert(Photo(name: "\(number)", data: PhotoStore.value(number))) }
    try context.save()
    try store.checkFiles(count: 6)
    // By the delete rule, by a predicate, one by one and all.
    context.delete(album)
    try context.save()
    try store.checkFiles(count: 3)
    try context.delete(model: Photo.self, where: #Predicate { $0.name == "4" })
    try context.save()
    try store.checkFiles(count: 2)
    let fifth = try #require(
      try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.name == "5" })).first)
    context.delete(fifth)
    try context.save()
    try store.checkFiles(count: 1)
    try store.container.erase()
    try store.checkFiles(count: 0)
  }

  @Test func `unsaved values are not written`() throws {
    let store = try PhotoStore()
    let context = try store.save()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    photo.data = PhotoStore.value(2)
    context.rollback()
    #expect(photo.data == PhotoStore.value(1))
    try store.checkFiles(count: 1)
    // What was inserted and deleted again never was.
    let brief = Photo(name: "brief", data: PhotoStore.value(3))
    context.insert(brief)
    context.delete(brief)
    try context.save()
    try store.checkFiles(count: 1)
  }

  @Test func `a refused save leaves no files`() throws {
    let store = try PhotoStore()
    let context = try store.save("Forum", 1)
    try store.save("Casa", 2)
    let photo = try #require(
      try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.name == "Forum" })).first)
    let before = try store.fileNames()
    photo.data = PhotoStore.value(3)
    photo.name = "Casa"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try store.fileNames() == before)
    try store.checkFiles(count: 2)
    photo.name = "Foro"
    try context.save()
    try store.checkFiles(count: 2)
    #expect(try store.data(of: "Foro") == PhotoStore.value(3))
  }

  @Test func `an existing model with the same unique value gets the new file`() throws {
    let store = try PhotoStore()
    try store.save("Forum", 1)
    let before = try store.fileNames()
    // The same value again touches neither file nor attribute.
    try store.save("Forum", 1)
    #expect(try store.fileNames() == before)
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZTRANSACTIONID = 2") == ["00"])
    try store.save("Forum", 2)
    try store.checkFiles(count: 1)
    #expect(try store.fileNames() != before)
    #expect(try store.data(of: "Forum") == PhotoStore.value(2))
  }

  @Test func `history names the attribute without its value`() async throws {
    let store = try PhotoStore()
    let context = try store.save()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    photo.data = PhotoStore.value(2)
    try context.save()
    context.delete(photo)
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    guard case .update(let update as DefaultHistoryUpdate<Photo>) = transactions[1].changes[0],
      case .delete(let deletion as DefaultHistoryDelete<Photo>) = transactions[2].changes[0]
    else {
      Issue.record("\(transactions)")
      return
    }
    #expect(update.updatedAttributes == [\Photo.data])
    #expect(deletion.tombstone[\.data] == nil)
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT DISTINCT typeof(ZTOMBSTONE0) FROM ACHANGE") == ["null"])
    let log = try await Tool.histctl.run(["log", "--changes", "--json", store.path])
    #expect(log.text.contains(#""attributes":["data"]"#), "\(log.text)")
    let verify = try await Tool.histctl.run(["verify", store.path])
    #expect(verify.status == 0, "\(verify.text)\(verify.errors)")
  }

  @Test func `predicates can only compare a large value with nil`() throws {
    let store = try PhotoStore()
    let context = store.context()
    for number in 1...3 {
      let photo = Photo(name: "\(number)", data: PhotoStore.value(number))
      photo.thumbnail = number == 2 ? nil : Data([UInt8(number)])
      context.insert(photo)
    }
    try context.save()
    func names(_ predicate: Predicate<Photo>) throws -> [String] {
      try ModelContext(try PhotoStore.open(store.path)).fetch(
        FetchDescriptor<Photo>(predicate: predicate, sortBy: [SortDescriptor(\.name)])
      ).map(\.name)
    }
    #expect(try names(#Predicate { $0.thumbnail == nil }) == ["2"])
    #expect(try names(#Predicate { $0.thumbnail != nil }) == ["1", "3"])
    let (third, tiny) = (PhotoStore.value(3), Data([1]))
    #expect(try names(#Predicate { $0.data == third }) == ["3"])
    #expect(try names(#Predicate { $0.thumbnail == tiny }) == ["1"])
    #expect(try names(#Predicate { $0.thumbnail != tiny }) == ["2", "3"])
  }

  @Test func `containers in memory have large values`() throws {
    let container = try ModelContainer(
      for: Photo.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Photo(name: "Forum", data: PhotoStore.value(1)))
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Photo>()).first?.data == PhotoStore.value(1))
  }

  @Test func `a read-only container reads large values`() throws {
    let store = try PhotoStore()
    try store.save()
    let context = ModelContext(try PhotoStore.open(store.path, allowsSave: false))
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    #expect(photo.data == PhotoStore.value(1))
    #expect(try context.fetchIdentifiers(FetchDescriptor<Photo>()).count == 1)
  }

  @Test func `models that cannot have the option are refused`() throws {
    func explanation(_ types: any PersistentModel.Type...) throws -> String {
      try #require(throws: SwiftDataError.self) {
        _ = try ModelContainer(
          for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      }.explanation
    }
    #expect(try explanation(MarkedText.self).contains("MarkedText.text"))
    #expect(try explanation(MarkedText.self).contains("not kept as data"))
    #expect(try explanation(UniqueData.self).contains("must be unique"))
  }
}

/// The models of photos without the option.
enum PlainPhotos {
  @Model
  final class Album {
    @Attribute(.unique) var title: String
    @Relationship(deleteRule: .cascade, inverse: \Photo.album) var photos: [Photo] = []
    init(title: String) { self.title = title }
  }

  @Model
  final class Photo {
    @Attribute(.unique) var name: String
    @Attribute(.preserveValueOnDeletion) var data: Data
    @Attribute(.externalStorage) var thumbnail: Data?
    @Attribute(.externalStorage) var lines: [String] = []
    var album: Album?
    init(name: String, data: Data) {
      self.name = name
      self.data = data
    }
  }
}

@Model
final class MarkedText {
  @Attribute(.externalStorage) var text: String
  init(text: String) { self.text = text }
}

@Model
final class UniqueData {
  @Attribute(.externalStorage, .unique) var data: Data
  init(data: Data) { self.data = data }
}
