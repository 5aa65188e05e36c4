import DurableFiles
import Foundation
import HistoryCoding
import PropertyLists

@testable import DemoStore
@testable import HistctlCommands
@testable import HistoryArchive
@testable import PersistentHistory
@testable import StoreFormat

/// A decoder of input from outside.
enum Entry: String, CaseIterable {
  case propertyList = "property-list"
  case token, model, mask, line, manifest, catalog, bookmarks, config, log, store

  static let name = ProcessInfo.processInfo.environment["HISTCTL_FUZZ_ENTRY"]
  static let chosen = name.flatMap(Entry.init)

  /// Decodes an input. Fails where the input is damaged, and traps where an answer is wrong.
  func run(_ bytes: [UInt8]) throws {
    switch self {
    case .propertyList: try Self.propertyList(bytes)
    case .token: try Self.token(bytes)
    case .model: Self.model(bytes)
    case .mask: Self.mask(bytes)
    case .line: try Self.line(bytes)
    case .manifest:
      let manifest = try SegmentManifest(bytes, path: "input")
      let again = Self.reading { try SegmentManifest(manifest.bytes, path: "input") }
      precondition(again == manifest)
    case .catalog: try Self.catalog(bytes)
    case .bookmarks: _ = try BookmarkFile(path: try InputFiles.shared.write(bytes[...]))
    case .config:
      _ = try MaintenanceConfig(
        path: try InputFiles.shared.write(bytes[...]), homeFolder: "/home/user")
    case .log: try Self.log(bytes)
    case .store: try Self.store(bytes)
    }
  }

  /// Reads what was written of a decoded input, in which there can be no error.
  private static func reading<Result>(_ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      fatalError("what was written cannot be read back: \(error)")
    }
  }

  private static func propertyList(_ bytes: [UInt8]) throws {
    let value = try PropertyListValue(propertyList: bytes)
    if let binary = try? BinaryPropertyListWriter.bytes(of: value) {
      precondition(
        reading {
          try BinaryPropertyListWriter.bytes(of: PropertyListValue(propertyList: binary))
        } == binary)
    }
    if let text = try? XMLPropertyListWriter.bytes(of: value) {
      _ = reading { try PropertyListValue(propertyList: text) }
    }
    let archive = try KeyedArchive(value)
    for index in 0..<min(archive.objectCount, 100) {
      guard let object = try archive.object(.init(index: index)) else { continue }
      _ = try? object.classNames
      _ = try? archive.elements(of: object)
      _ = try? archive.pairs(of: object)
    }
  }

  private static func token(_ bytes: [UInt8]) throws {
    let content = try? TokenContent(bytes)
    if content == nil { _ = try? TokenContent(bytes, key: "state.0.token") }
    if let text = String(validating: bytes, as: UTF8.self) {
      _ = try TokenExpression(
        text, now: StoreTimestamp(secondsSinceReferenceDate: 800_000_000.5))
    }
  }

  private static func model(_ bytes: [UInt8]) {
    guard let model = ModelCache(content: bytes).model else { return }
    _ = model.entitySlots()
    for name in model.entities.keys { _ = model.lineage(of: name) }
  }

  private static func mask(_ bytes: [UInt8]) {
    let mask = ColumnMask(bytes)
    precondition(mask.withBytes { Array($0) } == bytes)
    var slots: [Int] = []
    mask.forEachSetSlot { slots.append($0) }
    precondition(slots.allSatisfy(mask.contains))
    precondition(
      ColumnMask(slotCount: bytes.count * 8, settingSlots: slots) == mask)
    let half = ColumnMask(Array(bytes.prefix(bytes.count / 2)))
    precondition(mask.union(half) == half.union(mask))
    _ = mask.fits(slotCount: bytes.count * 8)
    for slots in demoSlots.values { _ = slots.names(in: mask) }
  }

  private static let demoSlots = DemoModel.model.entitySlots()
  private static let decoder = TransactionLineDecoder(
    schema: HistorySchema(
      entities: demoSlots.keys.sorted().enumerated().map { index, name in
        HistoryEntity(name: name, number: Int64(index + 1), slots: demoSlots[name])
      }))

  private static func line(_ bytes: [UInt8]) throws {
    for decoder in [decoder, TransactionLineDecoder(entities: LineEntities())] {
      // In pieces, as lines that are longer than memory come.
      var rest = bytes[...]
      func piece() -> ArraySlice<UInt8>? {
        defer { rest = rest.dropFirst(7) }
        return rest.isEmpty ? nil : rest.prefix(7)
      }
      var reader = TransactionLineReader(piece() ?? [], decoder)
      if case .transaction? = try? reader.readHead(piece) {
        while (try? reader.readChange(piece)) != nil {}
      }
      guard let line = try? decoder.decode(bytes) else { continue }
      var encoder = TransactionLineEncoder()
      encoder.encode(line)
      let text = Array(encoder.bytes)
      guard case .transaction(let transaction) = line, !transaction.isPartial else { continue }
      encoder.removeAll()
      encoder.encode(reading { try decoder.decode(text) })
      precondition(text.elementsEqual(encoder.bytes))
    }
  }

  private static func catalog(_ bytes: [UInt8]) throws {
    let catalog = try ArchiveCatalog(FilePlace(try InputFiles.shared.write(chained(bytes)[...])))
    for store in catalog.stores {
      precondition(catalog.store(store.identifier) != nil)
      _ = catalog.forgotten(ofStore: store.identifier)
      _ = catalog.leftovers(ofStore: store.identifier)
    }
  }

  /// Gives each line of a catalog the right digests, so that what it says is read.
  private static func chained(_ bytes: [UInt8]) -> [UInt8] {
    var previous = ArchiveDigest.none
    var result: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let entry = String(decoding: line, as: UTF8.self)
      let start = entry.components(separatedBy: ",\"previousSHA256\"")[0]
      let text = Array("\(start),\"previousSHA256\":\"\(previous)\"".utf8)
      let whole = text + Array(",\"lineSHA256\":\"\(ArchiveDigest(of: text))\"}\n".utf8)
      previous = ArchiveDigest(of: whole)
      result += whole
    }
    return result
  }

  private static func log(_ bytes: [UInt8]) throws {
    let path = try InputFiles.shared.writeStore(bytes, repairsLog: true)
    try StoreFile(path: path, busyTimeout: 0).read { snapshot in
      let states = try snapshot.logStates()
      let state = try LogState(states, at: 0)
      for number in 0..<min(states.count, 20) {
        state.move(to: number)
        for table in ["ATRANSACTION", "ACHANGE", "ZTRIP"] {
          _ = try? state.read { try $0.rows("SELECT * FROM \(table) ORDER BY 1 LIMIT 100") }
        }
      }
      _ = states.firstWholeState
      try readHistory(snapshot)
    }
  }

  private static func store(_ bytes: [UInt8]) throws {
    let path = try InputFiles.shared.writeStore(bytes, repairsLog: false)
    try? StoreFile(path: path, busyTimeout: 0).read { try readHistory($0) }
    var options = StoreVerification.Options()
    options.helperCount = 0
    options.busyTimeout = 0
    _ = try StoreVerification(path: path, options: options)
  }

  /// Reads a history with all its values. What is written of it must read back as it was.
  private static func readHistory(_ snapshot: StoreSnapshot) throws {
    let history = try snapshot.history(recordedValues: RecordedValues(beside: snapshot))
    let decoder = TransactionLineDecoder(schema: history.schema)
    var encoder = TransactionLineEncoder()
    while let transaction = try history.next() {
      for change in transaction.changes.prefix(10) { _ = try history.presentObject(of: change) }
      encoder.removeAll()
      encoder.encode(.transaction(transaction))
      let text = Array(encoder.bytes)
      guard !transaction.isPartial else { continue }
      encoder.removeAll()
      encoder.encode(reading { try decoder.decode(text) })
      precondition(text.elementsEqual(encoder.bytes))
    }
  }
}
