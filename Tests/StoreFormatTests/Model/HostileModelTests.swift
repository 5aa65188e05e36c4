import PropertyLists
import TestSupport
import Testing

@testable import StoreFormat

/// A model cache may hold anything; what comes of it is a model or a reason, in bounded time.
@Suite(.bounded) struct HostileModelTests {
  private static func reason(_ entities: [HandmadeEntity]) throws -> String? {
    let archive = try HandmadeModel.archive(entities)
    guard case .unreadable(let reason) = ModelCache(content: archive) else { return nil }
    return reason
  }

  @Test
  func `a model whose entities inherit in a circle is refused`() throws {
    #expect(
      try Self.reason([HandmadeEntity("A", superentity: "A")])?.contains("A inherits from itself")
        == true)
    let reason = try Self.reason([
      HandmadeEntity("A", superentity: "B"), HandmadeEntity("B", superentity: "C"),
      HandmadeEntity("C", superentity: "A"),
    ])
    #expect(reason?.contains("inherits from itself") == true)
  }

  @Test
  func `a model whose entity inherits from a missing one is refused`() throws {
    #expect(
      try Self.reason([HandmadeEntity("A", superentity: "Gone")])
        == "in the cached model the entity A inherits from Gone, which is missing")
  }

  @Test(arguments: [(64, true), (65, false), (400, false)])
  func `entities may inherit through 64 levels and no more`(levels: Int, isModel: Bool) throws {
    let entities = (0..<levels).map { level in
      HandmadeEntity(
        "E\(level)", superentity: level == 0 ? nil : "E\(level - 1)",
        properties: [HandmadeProperty("p\(level)")])
    }
    let cache = ModelCache(content: try HandmadeModel.archive(entities))
    #expect((cache.model != nil) == isModel)
    if let model = cache.model {
      #expect(model.entitySlots()["E\(levels - 1)"]?.slots.count == levels)
    }
  }

  @Test
  func `a model with too many entities is refused`() throws {
    #expect(try Self.reason((0..<2000).map { HandmadeEntity("E\($0)") }) == nil)
    #expect(
      try Self.reason((0...10_000).map { HandmadeEntity("E\($0)") })
        == "the cached model has more parts than any model")
  }

  @Test
  func `inheriting properties cannot multiply them`() throws {
    let properties = (0..<4000).map { HandmadeProperty("property\($0)") }
    let descendants = (0..<3000).map { HandmadeEntity("Heir\($0)", superentity: "Root") }
    #expect(
      try Self.reason([HandmadeEntity("Root", properties: properties)] + descendants)
        == "the cached model has more parts than any model")
  }

  @Test
  func `inheriting a composite cannot multiply its elements`() throws {
    var writer = KeyedArchiveWriter()
    let leaf = writer.add(
      object: .init("NSAttributeDescription", "NSObject"),
      fields: ["NSAttributeType": .integer(700)]
    )
    let list = writer.add(elements: Array(repeating: leaf, count: 5000), as: .array)
    let composite = writer.add(
      object: .init("NSCompositeAttributeDescription", "NSObject"),
      fields: ["NSCompositeElements": list.value, "NSAttributeType": .integer(2100)])
    let root = writer.reserve()
    let properties = writer.add(
      pairs: [(key: writer.add(string: "place"), value: composite)], as: .dictionary)
    try writer.fill(
      root, object: .init("NSEntityDescription", "NSObject"),
      fields: [
        "NSEntityName": writer.add(string: "Root").value, "NSProperties": properties.value,
      ])
    let entity = writer.add(
      object: .init("NSEntityDescription", "NSObject"),
      fields: ["NSEntityName": writer.add(string: "Heir").value, "NSSuperentity": root.value])
    var pairs = [(key: writer.add(string: "Root"), value: root)]
    for number in 0..<3000 {
      pairs.append((key: writer.add(string: "Heir\(number)"), value: entity))
    }
    let entities = writer.add(pairs: pairs, as: .dictionary)
    let model = writer.add(
      object: .init("NSManagedObjectModel", "NSObject"), fields: ["NSEntities": entities.value])
    let archive = try BinaryPropertyListWriter.bytes(of: writer.finish(top: ["root": model]))
    #expect(
      ModelCache(content: archive)
        == .unreadable(reason: "the cached model has more parts than any model"))
  }

  @Test
  func `a composite attribute that contains itself is refused`() throws {
    for width in [1, 2, 3] {
      var writer = KeyedArchiveWriter()
      let composite = writer.reserve()
      let list = writer.add(elements: Array(repeating: composite, count: width), as: .array)
      try writer.fill(
        composite, object: .init("NSCompositeAttributeDescription", "NSObject"),
        fields: ["NSCompositeElements": list.value, "NSAttributeType": .integer(2100)])
      let properties = writer.add(
        pairs: [(key: writer.add(string: "place"), value: composite)], as: .dictionary)
      let entity = writer.add(
        object: .init("NSEntityDescription", "NSObject"),
        fields: ["NSEntityName": writer.add(string: "E").value, "NSProperties": properties.value])
      let entities = writer.add(
        pairs: [(key: writer.add(string: "E"), value: entity)], as: .dictionary)
      let root = writer.add(
        object: .init("NSManagedObjectModel", "NSObject"), fields: ["NSEntities": entities.value])
      let archive = try BinaryPropertyListWriter.bytes(of: writer.finish(top: ["root": root]))
      #expect(
        ModelCache(content: archive)
          == .unreadable(reason: "the cached model has more parts than any model"))
    }
  }

  @Test
  func `other data is not a model`() throws {
    var writer = KeyedArchiveWriter()
    let text = writer.add(string: "a text")
    let list = try BinaryPropertyListWriter.bytes(of: writer.finish(top: ["root": text]))
    #expect(
      ModelCache(content: list)
        == .unreadable(reason: "the cached model is not an archive of a managed object model"))
    #expect(
      ModelCache(content: try BinaryPropertyListWriter.bytes(of: .array([]))).model == nil)
    #expect(ModelCache(content: Array("bplist00".utf8)).model == nil)
  }

  @Test
  func `a model that inflates beyond the limit is refused`() throws {
    let zeros = ModelArchive.deflate([UInt8](repeating: 0, count: 17 << 20))
    #expect(zeros.count < 1 << 15)
    #expect(
      ModelCache(content: zeros)
        == .unreadable(reason: "the cached model inflates to more than 16 MiB"))
    // A few megabytes that would become gigabytes.
    let block = Array(zeros.dropLast(zeros.count / 2))
    #expect(ModelCache(content: Array(repeating: block, count: 200).flatMap { $0 }).model == nil)
  }

  @Test
  func `a model truncated at any position is refused`() throws {
    let cache = try ModelArchive.cache(of: TripsModel.model)
    for length in 1..<cache.count {
      #expect(
        ModelCache(content: Array(cache.prefix(length)))
          == .unreadable(reason: "the cached model is cut short"))
    }
    let archive = try ModelArchive.archive(of: TripsModel.model)
    for length in 8..<archive.count {
      #expect(ModelCache(content: Array(archive.prefix(length))).model == nil, "\(length)")
    }
    // What follows the packed archive is not part of it.
    #expect(ModelCache(content: cache + [0, 1, 2]).model?.entities.count == 5)
  }

  @Test(arguments: 0..<4)
  func `a model with changed bytes is read or refused`(part: Int) throws {
    let archive = try ModelArchive.archive(of: TripsModel.model)
    let cache = try ModelArchive.cache(of: TripsModel.model)
    var generator = SeededGenerator(seed: UInt64(900 + part))
    for _ in 0..<150 {
      for original in [archive, cache] {
        var damaged = original
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          damaged[Int.random(in: 8..<damaged.count, using: &generator)] = UInt8.random(
            in: 0...255, using: &generator)
        }
        switch ModelCache(content: damaged) {
        case .model(let model): _ = model.entitySlots()
        case .unreadable(let reason): #expect(!reason.isEmpty)
        case .missing: Issue.record("bytes were taken for none")
        }
      }
    }
  }
}

/// The packing of the model cache, against Python's zlib.
@Suite(.bounded) struct RawDeflateTests {
  @Test(.enabled(if: Tool("python3") != nil))
  func `data packed by Python is inflated`() async throws {
    let python = try #require(Tool("python3"))
    let run = try await python.run([
      "-c",
      """
      import zlib
      for data in (b'', b'a', bytes(range(256)) * 40, b'x' * 100000):
          for level in (0, 1, 9):
              packer = zlib.compressobj(level, zlib.DEFLATED, -15)
              print((packer.compress(data) + packer.flush()).hex())
      """,
    ])
    let expected: [[UInt8]] = [
      [], [0x61], (0..<40).flatMap { _ in Array(0...255) },
      [UInt8](repeating: 0x78, count: 100_000),
    ]
    let packed = run.lines.map { line in
      let digits = line.utf8.map { $0 > 0x60 ? $0 - 0x57 : $0 - 0x30 }
      return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
    #expect(packed.count == 12)
    for (number, bytes) in packed.enumerated() {
      #expect(try RawDeflate.inflate(bytes) == expected[number / 3])
    }
    #expect(throws: RawDeflate.Failure.tooLarge(limit: 99_999)) {
      try RawDeflate.inflate(packed[11], limit: 99_999)
    }
  }

  @Test
  func `data that cannot be inflated is an error`() {
    #expect(throws: RawDeflate.Failure.cutShort) { try RawDeflate.inflate([]) }
    #expect(throws: RawDeflate.Failure.malformed) { try RawDeflate.inflate([0xff, 0xff]) }
    // With a zlib header.
    #expect(throws: RawDeflate.Failure.malformed) {
      try RawDeflate.inflate([0x78, 0x9c, 0x4b, 0x04, 0x00, 0x00, 0x62, 0x00, 0x62])
    }
  }
}
