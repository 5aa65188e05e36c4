import StoreFormat

/// Writes a model as the frameworks keep it in `Z_MODELCACHE`: a keyed archive, raw-deflated.
package enum ModelArchive {
  /// The archive of a model, not yet packed.
  package static func archive(of model: ManagedModel) throws -> [UInt8] { try model.archive() }

  /// The content of a model cache.
  package static func cache(of model: ManagedModel) throws -> [UInt8] { try model.cacheContent() }

  /// Packs bytes without a zlib header.
  package static func deflate(_ input: [UInt8]) -> [UInt8] { RawDeflate.deflate(input) }
}
