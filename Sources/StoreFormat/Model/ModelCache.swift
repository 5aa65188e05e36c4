import GRDB

/// What a store's model cache had to say.
public enum ModelCache: Hashable, Sendable {
  /// The model.
  case model(ManagedModel)
  /// The store has no table for it, or no row in it, or the row is empty; an app may delete it.
  case missing
  /// The row is there and cannot be read.
  case unreadable(reason: String)

  /// The model, where there is one.
  public var model: ManagedModel? {
    if case .model(let model) = self { model } else { nil }
  }

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
    case .blob(let bytes): self = ModelCache(content: bytes)
    default: self = .unreadable(reason: "Z_MODELCACHE holds a value that is not a blob")
    }
  }

  /// Reads the content of a model cache: a keyed archive, packed or plain.
  public init(content: [UInt8]) {
    do {
      let archive =
        BinaryPropertyList.isBinary(content) ? content : try RawDeflate.inflate(content)
      self = .model(try ManagedModel(archive: try KeyedArchive(bytes: archive)))
    } catch let failure as RawDeflate.Failure {
      self = .unreadable(reason: failure.text)
    } catch {
      self = .unreadable(reason: "\(error)")
    }
  }
}

extension RawDeflate.Failure {
  /// The failure in words.
  var text: String {
    switch self {
    case .malformed: "the cached model is not deflated data"
    case .cutShort: "the cached model is cut short"
    case .tooLarge(let limit): "the cached model inflates to more than \(limit >> 20) MiB"
    }
  }
}
