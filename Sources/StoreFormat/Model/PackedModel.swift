import GRDB
import PropertyLists

/// What a store's model cache holds, unpacked but not decoded: a fifth of the work.
enum PackedModel {
  case archive(KeyedArchive)
  case missing
  case unreadable(reason: String)

  /// Reads `Z_MODELCACHE`.
  init(database: Database, layout: StoreLayout) throws {
    guard layout.hasModelCache else {
      self = .missing
      return
    }
    let cursor = try StatementCursor(database, sql: "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard try cursor.step() else {
      self = .missing
      return
    }
    switch cursor.value(at: 0) {
    case .null: self = .missing
    case .blob(let bytes) where bytes.isEmpty: self = .missing
    case .blob(let bytes): self = PackedModel(content: bytes)
    default: self = .unreadable(reason: "Z_MODELCACHE holds a value that is not a blob")
    }
  }

  /// Unpacks the content of a model cache: a keyed archive, packed or plain.
  init(content: [UInt8]) {
    do {
      let archive =
        BinaryPropertyList.isBinary(content) ? content : try RawDeflate.inflate(content)
      self = .archive(try KeyedArchive(bytes: archive))
    } catch let failure as RawDeflate.Failure {
      self = .unreadable(reason: failure.text)
    } catch {
      self = .unreadable(reason: "\(error)")
    }
  }

  package var condition: ModelCache.Condition {
    switch self {
    case .archive: .present
    case .missing: .missing
    case .unreadable(let reason): .unreadable(reason: reason)
    }
  }
}

extension RawDeflate.Failure {
  /// The failure in words.
  package var text: String {
    switch self {
    case .malformed: "the cached model is not deflated data"
    case .cutShort: "the cached model is cut short"
    case .tooLarge(let limit): "the cached model inflates to more than \(limit >> 20) MiB"
    }
  }
}
