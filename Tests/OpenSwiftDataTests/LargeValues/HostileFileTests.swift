import OpenSwiftData
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Columns and files that are not what they should be.
@Suite(.bounded) struct HostileFileTests {
  private static let name = "0A4F9E5B-1C2D-4E3F-8A9B-0C1D2E3F4A5B"

  struct Column: Sendable, CustomTestStringConvertible {
    let sql: String
    let words: [String]
    var testDescription: String { sql }
  }

  private static func named(_ text: String) -> String {
    "x'02' || CAST('\(text)' AS BLOB) || x'00'"
  }

  static let columns = [
    Column(sql: named("../../../../etc/passwd"), words: ["Photo/p1, data", "no UUID"]),
    Column(sql: named("/etc/passwd"), words: ["no UUID"]),
    Column(sql: named("0A4F9E5B/1C2D-4E3F-8A9B-0C1D2E3F4A5B"), words: ["no UUID"]),
    Column(sql: named("../4F9E5B-1C2D-4E3F-8A9B-0C1D2E3F4A5B"), words: ["no UUID"]),
    Column(sql: named(name + name), words: ["no UUID"]),
    Column(sql: named(name) + " || x'41'", words: ["no UUID"]),
    Column(sql: "x'02'", words: ["no UUID"]),
    Column(sql: "x'00FF'", words: ["the byte 0"]),
    Column(sql: "x'8950'", words: ["the byte 137"]),
    Column(sql: "x''", words: ["no first byte"]),
    Column(sql: named(name), words: [name, "missing"]),
  ]

  @Test(arguments: columns)
  func `a malformed column is an error`(_ column: Column) throws {
    let store = try PhotoStore()
    try store.save()
    try StoreQuery(path: store.path).run(
      "UPDATE ZPHOTO SET ZDATA = CAST(\(column.sql) AS BLOB)")
    try check(store, column.words)
  }

  enum SpecialFile: String, CaseIterable, Sendable {
    case link, folder, pipe, huge, store, folderIsLink, supportIsLink, folderIsFile
  }

  @Test(arguments: SpecialFile.allCases)
  func `a malformed file is an error`(_ thing: SpecialFile) throws {
    let store = try PhotoStore()
    try store.save()
    let name = try #require(try store.fileNames().first)
    let file = store.filesPath + "/" + name
    let manager = FileManager.default
    let aside = store.folder.file("aside")
    var words = [name]
    switch thing {
    case .link:
      try manager.moveItem(atPath: file, toPath: aside)
      try manager.createSymbolicLink(atPath: file, withDestinationPath: aside)
      words += ["link"]
    case .folder:
      try manager.removeItem(atPath: file)
      try manager.createDirectory(atPath: file, withIntermediateDirectories: false)
      words += ["not a file"]
    case .pipe:
      try manager.removeItem(atPath: file)
      #expect(mkfifo(file, 0o600) == 0)
      words += ["not a file"]
    case .huge:
      #expect(truncate(file, 1 << 40) == 0)
      words += ["1099511627776 bytes"]
    case .store:
      try manager.removeItem(atPath: file)
      try manager.linkItem(atPath: store.path, toPath: file)
      words += ["the store itself"]
    case .folderIsLink, .supportIsLink:
      let folder =
        thing == .folderIsLink ? store.filesPath : store.folder.file(PhotoStore.support)
      try manager.moveItem(atPath: folder, toPath: aside)
      try manager.createSymbolicLink(atPath: folder, withDestinationPath: aside)
      words = ["no folder"]
    case .folderIsFile:
      try manager.removeItem(atPath: store.filesPath)
      try FileBytes.write([1], to: store.filesPath)
      words = ["no folder"]
    }
    try check(store, words)
    // Nothing that is not a file of its own is ever written through.
    let context = store.context()
    context.insert(Photo(name: "next", data: PhotoStore.value(2)))
    switch thing {
    case .folderIsLink, .supportIsLink, .folderIsFile:
      let error = try #require(throws: SwiftDataError.self) { try context.save() }
      #expect(error.explanation.contains("no folder"), "\(error)")
    default:
      try context.save()
      #expect(try store.fileNames().count == 2)
    }
  }

  /// Checks that fetching says what is wrong, and that all that need not be read works.
  private func check(_ store: PhotoStore, _ words: [String]) throws {
    let context = ModelContext(try PhotoStore.open(store.path))
    let error = try #require(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Photo>())
    }
    #expect(error == .storeFailure)
    for word in words + [store.path] {
      #expect(error.explanation.contains(word), "\(error.explanation)")
    }
    #expect(try context.fetchCount(FetchDescriptor<Photo>()) == 1)
    let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Photo>()).first)
    let photo = try #require(context.model(for: identifier) as? Photo)
    #expect(photo.name == "Forum")
    #expect(photo.data == Data())
    #expect(!context.hasChanges)
  }

  @Test func `a missing value can be replaced`() throws {
    let store = try PhotoStore()
    try store.save()
    try FileManager.default.removeItem(
      atPath: store.filesPath + "/" + #require(store.fileNames().first))
    let context = ModelContext(try PhotoStore.open(store.path))
    let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Photo>()).first)
    let photo = try #require(context.model(for: identifier) as? Photo)
    photo.data = PhotoStore.value(2)
    try context.save()
    try store.checkFiles(count: 1)
    #expect(try store.data(of: "Forum") == PhotoStore.value(2))
    try FileManager.default.removeItem(
      atPath: store.filesPath + "/" + #require(store.fileNames().first))
    let other = ModelContext(try PhotoStore.open(store.path))
    other.delete(other.model(for: identifier))
    try other.save()
    #expect(try StoreQuery(path: store.path).lines("SELECT count(*) FROM ZPHOTO") == ["0"])
  }

  @Test func `missing files are searched for once`() throws {
    let store = try PhotoStore()
    try store.save("Forum", 1)
    try store.save("Casa", 2)
    let names = try store.fileNames()
    try FileManager.default.removeItem(atPath: store.filesPath + "/" + names[0])
    let container = try PhotoStore.open(store.path)
    let trace = try ReadTrace(container)
    func look() throws {
      #expect(throws: SwiftDataError.storeFailure) {
        try ModelContext(container).fetch(FetchDescriptor<Photo>())
      }
    }
    // Somebody may have replaced it while the rows were read, but only once.
    try trace.expect(2) { try look() }
    try trace.expect(1) { try look() }
    try FileManager.default.removeItem(atPath: store.filesPath + "/" + names[1])
    try trace.expect(2) { try look() }
    try trace.expect(1) { try look() }
  }
}
