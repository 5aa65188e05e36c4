import CZlib
import GRDB
import PropertyLists
import Synchronization

/// The content of a store's model cache.
package enum ModelCache: Hashable, Sendable {
  case model(ManagedModel)
  /// The store has no table, no row or an empty row for it; an app may delete it.
  case missing
  /// The row exists and cannot be read.
  case unreadable(reason: String)

  package var model: ManagedModel? {
    if case .model(let model) = self { model } else { nil }
  }

  /// Reads the content of a model cache: a keyed archive, packed or plain.
  package init(content: [UInt8]) { self.init(PackedModel(content: content)) }

  /// Whether content is a model and nothing else follows it.
  package static func isExact(content: [UInt8]) -> Bool {
    guard ModelCache(content: content).model != nil else { return false }
    if BinaryPropertyList.isBinary(content) { return true }
    return (try? RawDeflate.inflated(content))?.length == content.count
  }

  /// The last decoded model. Stores of one app have the same model, and decoding a large one takes longer than the
  /// rest of reading a small store.
  private static let last = Mutex<Last?>(nil)

  private struct Last {
    let content: StoredValue?
    let cache: ModelCache
    let slots: LazySlots
  }

  /// Reads the model cache of a store; the slots are those of its model.
  static func read(
    _ database: Database, _ layout: StoreLayout
  ) throws -> (cache: ModelCache, slots: LazySlots?) {
    let content = try PackedModel.content(database, layout)
    if let last = last.withLock({ $0 }), last.content == content { return (last.cache, last.slots) }
    let cache = ModelCache(PackedModel(content))
    guard let model = cache.model else { return (cache, nil) }
    let slots = LazySlots(model)
    last.withLock { $0 = Last(content: content, cache: cache, slots: slots) }
    return (cache, slots)
  }

  init(_ packed: PackedModel) {
    switch packed {
    case .missing: self = .missing
    case .unreadable(let reason): self = .unreadable(reason: reason)
    case .archive(let archive):
      do {
        self = .model(try ManagedModel(archive: archive))
      } catch {
        self = .unreadable(reason: "\(error)")
      }
    }
  }

  /// Whether a model is there, without the model.
  package enum Condition: Hashable, Sendable {
    case present
    /// It is missing; an app may have deleted it.
    case missing
    /// It exists and cannot be read.
    case unreadable(reason: String)
  }

  package var condition: Condition {
    switch self {
    case .model: .present
    case .missing: .missing
    case .unreadable(let reason): .unreadable(reason: reason)
    }
  }
}

/// A store's model cache, unpacked but not decoded, which takes a fifth of the time.
enum PackedModel {
  case archive(KeyedArchive)
  case missing
  case unreadable(reason: String)

  /// Returns what is stored in `Z_MODELCACHE`; `nil` without a table or a row.
  static func content(_ database: Database, _ layout: StoreLayout) throws -> StoredValue? {
    guard layout.hasModelCache else { return nil }
    let cursor = try StatementCursor(database, sql: "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    return try cursor.step() ? cursor.value(at: 0) : nil
  }

  init(_ value: StoredValue?) {
    switch value {
    case nil, .null: self = .missing
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

  var condition: ModelCache.Condition {
    switch self {
    case .archive: .present
    case .missing: .missing
    case .unreadable(let reason): .unreadable(reason: reason)
    }
  }
}

extension RawDeflate.Failure {
  var text: String {
    switch self {
    case .malformed: "the cached model is not deflated data"
    case .cutShort: "the cached model is cut short"
    case .tooLarge(let limit): "the cached model inflates to more than \(limit >> 20) MiB"
    }
  }
}

/// Raw DEFLATE, without the zlib header, which is how a store packs its model.
package enum RawDeflate {
  /// The maximum size of an unpacked model in bytes; the largest seen has less than half a million.
  static let largestModel = 16 << 20

  /// Why bytes could not be inflated.
  enum Failure: Error, Hashable {
    case malformed
    case cutShort
    case tooLarge(limit: Int)
  }

  /// Inflates bytes, up to a limit.
  static func inflate(_ input: [UInt8], limit: Int = largestModel) throws(Failure) -> [UInt8] {
    try inflated(input, limit: limit).bytes
  }

  /// Inflates bytes, up to a limit; the length is that of the input up to the end of the deflated data.
  static func inflated(
    _ input: [UInt8], limit: Int = largestModel
  ) throws(Failure) -> (bytes: [UInt8], length: Int) {
    var stream = z_stream()
    guard czlib_inflate_init(&stream, -MAX_WBITS) == Z_OK else { throw .malformed }
    defer { inflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: min(limit, max(1 << 12, input.count * 3)))
    var input = input
    let result = input.withUnsafeMutableBufferPointer { source -> Result<Int, Failure> in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(clamping: source.count)
      while true {
        let filled = Int(stream.total_out)
        if filled == output.count {
          guard filled < limit else { return .failure(.tooLarge(limit: limit)) }
          output += [UInt8](repeating: 0, count: min(filled, limit - filled))
        }
        let status = output.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress?.advanced(by: filled)
          stream.avail_out = UInt32(clamping: target.count - filled)
          return CZlib.inflate(&stream, Z_NO_FLUSH)
        }
        switch status {
        case Z_STREAM_END: return .success(Int(stream.total_out))
        case Z_OK where Int(stream.total_out) > filled: continue
        case Z_OK, Z_BUF_ERROR: return .failure(.cutShort)
        default: return .failure(.malformed)
        }
      }
    }
    output.removeLast(output.count - (try result.get()))
    return (output, Int(stream.total_in))
  }

  /// Deflates bytes, or stores them in blocks where that fails.
  package static func deflate(_ input: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard czlib_deflate_init(&stream, Z_DEFAULT_COMPRESSION, -MAX_WBITS) == Z_OK else {
      return stored(input)
    }
    defer { deflateEnd(&stream) }
    var input = input
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
    let count = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target -> Int? in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(clamping: source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(clamping: target.count)
        return CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : nil
      }
    }
    guard let count else { return stored(input) }
    return Array(output.prefix(count))
  }

  /// Returns bytes in stored blocks, which every reader of the format accepts.
  private static func stored(_ input: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var rest = input[...]
    repeat {
      let block = rest.prefix(0xffff)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      output.append(rest.isEmpty ? 1 : 0)
      for half in [count, ~count] {
        output += [UInt8(truncatingIfNeeded: half), UInt8(truncatingIfNeeded: half >> 8)]
      }
      output += block
    } while !rest.isEmpty
    return output
  }
}
