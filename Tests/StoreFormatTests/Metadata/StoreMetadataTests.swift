import TestSupport
import Testing

@testable import StoreFormat

/// What a store says of itself.
@Suite(.bounded) struct StoreMetadataTests {
  private static func read(_ sql: [String]) throws -> StoreMetadata {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    return try StoreFile(path: writer.path).read(\.metadata)
  }

  @Test
  func `metadata is read`() throws {
    let metadata = try Self.read([])
    #expect(metadata.storeIdentifier == "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F")
    #expect(metadata.frameworkVersion?.number == 1345)
    #expect(metadata.modelVersionIdentifiers == ["1.0.0"])
    #expect(metadata.applicationKeys.isEmpty)
    #expect(metadata.isComplete)
  }

  @Test(arguments: [
    ("DROP TABLE Z_METADATA", false, false), ("DELETE FROM Z_METADATA", false, false),
    ("UPDATE Z_METADATA SET Z_PLIST = NULL", true, false),
    ("UPDATE Z_METADATA SET Z_PLIST = x'6270'", true, false),
    ("UPDATE Z_METADATA SET Z_PLIST = 'text'", true, false),
    ("UPDATE Z_METADATA SET Z_UUID = NULL", false, true),
    ("UPDATE Z_METADATA SET Z_UUID = ''", false, true),
    ("UPDATE Z_METADATA SET Z_UUID = x'41'", false, true),
    ("UPDATE Z_METADATA SET Z_UUID = CAST(x'41FF' AS TEXT)", false, true),
    ("UPDATE Z_METADATA SET Z_UUID = printf('%.129c', 'A')", false, true),
  ])
  func `missing metadata or parts of it are empty`(
    sql: String, hasIdentifier: Bool, isComplete: Bool
  ) throws {
    let metadata = try Self.read([sql])
    #expect((metadata.storeIdentifier != nil) == hasIdentifier)
    #expect(metadata.isComplete == isComplete)
    #expect((metadata.frameworkVersion != nil) == isComplete)
  }

  @Test
  func `metadata comes from the first row`() throws {
    #expect(
      try Self.read(["INSERT INTO Z_METADATA VALUES (0, 'FIRST', NULL)"]).storeIdentifier
        == "FIRST")
  }

  @Test(.needsRealStores)
  func `metadata of real stores is read`() throws {
    let expected: [(String, Int64?)] = [
      ("photos-10.15.7.sqlite", 977), ("photos-27.0beta.sqlite", 1621),
      ("knowledgec-10.13.db", 851), ("kik-old.sqlite", 519), ("notesv7-nocache.storedata", nil),
      ("swiftdata-cocktails.store", 1414), ("scout-v4.sqlite", 1526),
    ]
    for (name, version) in expected {
      guard let source = RealStores.path(name) else { continue }
      let folder = try TemporaryFolder()
      let metadata = try StoreFile(path: folder.copy(store: source)).read(\.metadata)
      #expect(metadata.frameworkVersion?.number == version, "\(name)")
      #expect(metadata.storeIdentifier?.utf8.count == 36, "\(name)")
    }
  }

  @Test(
    arguments: [
      (0, nil), (518, nil), (519, "iOS 8"), (850, "iOS 8"), (851, "macOS 10.13 / iOS 11"),
      (973, "macOS 10.15 / iOS 13"), (1345, "macOS 14.4 / iOS 17.4"),
      (1414, "macOS 15 / iOS 18"), (1621, "macOS 27 / iOS 27"), (.max, "macOS 27 / iOS 27"),
      (.min, nil),
    ] as [(Int64, String?)])
  func `a framework version identifies the system`(number: Int64, system: String?) {
    #expect(FrameworkVersion(number: number).system == system)
  }

  @Test
  func `framework versions are ordered by number`() {
    #expect(FrameworkVersion(number: 851) < FrameworkVersion(number: 1044))
  }
}

/// What a store gives away about the framework that it was written through.
@Suite(.bounded) struct StoreOriginTests {
  private static func model(_ attribute: ManagedAttribute) -> ManagedModel {
    ManagedModel(entities: [ManagedEntity(name: "Trip", properties: [.attribute(attribute)])])
  }

  @Test
  func `a store with an attribute of a Swift type is from SwiftData`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let metadata = try StoreFile(path: path).read(\.metadata)
    let plain = Self.model(.init(name: "a", type: .string))
    #expect(StoreOrigin(model: plain, metadata: metadata) == .perhapsSwiftData)
    #expect(StoreOrigin(model: nil, metadata: metadata) == .perhapsSwiftData)
    #expect(StoreOrigin(model: TripsModel.model, metadata: metadata) == .swiftData)
    #expect(
      StoreOrigin(
        model: Self.model(.init(name: "a", type: .binaryData, valueClassName: "Array<String>")),
        metadata: metadata) == .swiftData)
  }

  @Test(
    .needsRealStores,
    arguments: [
      ("photos-14.6.sqlite", StoreOrigin.coreData), ("rmadmin-ios14.sqlite", .coreData),
      ("notes-ios17-josh.sqlite", .coreData), ("knowledgec-10.13.db", .coreData),
    ])
  func `the origins of real stores are found`(name: String, origin: StoreOrigin) throws {
    guard let source = RealStores.path(name) else { return }
    let folder = try TemporaryFolder()
    try StoreFile(path: folder.copy(store: source)).read { (snapshot: StoreSnapshot) throws in
      #expect(
        StoreOrigin(model: try snapshot.modelCache().model, metadata: snapshot.metadata) == origin)
    }
  }
}
