import StoreFormat

/// Digests of entities for a new store's metadata.
///
/// The frameworks compare version hashes of 32 bytes to tell whether a store fits an app's model.
/// How they work them out is not published, so these are our own: they differ where the model
/// differs, but an app will find that they are not its own, and migrate the store (which changes
/// nothing) before it uses it.
enum ModelDigest {
  /// 32 bytes for each entity, by name.
  static func hashes(of model: ManagedModel) -> [String: [UInt8]] {
    model.entities.mapValues { entity in
      var digest = Digest()
      digest.add(entity.name)
      digest.add(entity.superentityName ?? "")
      digest.add(entity.isAbstract ? 1 : 0)
      for property in entity.properties.sortedByName() where !property.isTransient {
        add(property, to: &digest)
      }
      return digest.bytes
    }
  }

  /// 32 or more bytes for a whole model, as many as asked for.
  static func digest(of hashes: [String: [UInt8]], count: Int, seed: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var digest = Digest()
      digest.add(seed &+ UInt64(bytes.count))
      for (name, hash) in hashes.sorted(by: { ordinally($0.key, $1.key) }) {
        digest.add(name)
        digest.add(hash)
      }
      bytes += digest.bytes
    }
    return Array(bytes.prefix(count))
  }

  private static func add(_ property: ManagedProperty, to digest: inout Digest) {
    digest.add(property.name)
    switch property {
    case .attribute(let attribute): add(attribute, to: &digest)
    case .relationship(let relationship):
      digest.add(relationship.destinationName ?? "")
      digest.add(relationship.inverseName ?? "")
      digest.add((relationship.isToMany ? 2 : 0) | (relationship.isOrdered ? 1 : 0))
      if let modifier = relationship.versionHashModifier { digest.add(modifier) }
    case .other: digest.add(3)
    }
  }

  private static func add(_ attribute: ManagedAttribute, to digest: inout Digest) {
    digest.add(UInt64(bitPattern: attribute.type.number))
    digest.add(attribute.isOptional ? 1 : 0)
    if let modifier = attribute.versionHashModifier { digest.add(modifier) }
    for element in attribute.elements {
      digest.add(element.name)
      add(element, to: &digest)
    }
  }

  /// Four lanes of the FNV-1a hash; it only has to tell versions of one model apart.
  private struct Digest {
    private var lanes: [UInt64] = (0..<4).map {
      0xcbf2_9ce4_8422_2325 &+ $0 &* 0x9e37_79b9_7f4a_7c15
    }

    mutating func add(_ text: String) {
      add(UInt64(text.utf8.count))
      add(Array(text.utf8))
    }

    mutating func add(_ number: UInt64) {
      add(withUnsafeBytes(of: number.littleEndian) { Array($0) })
    }

    mutating func add(_ bytes: [UInt8]) {
      for byte in bytes {
        for lane in lanes.indices {
          lanes[lane] = (lanes[lane] ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
          lanes[lane] ^= lanes[lane] >> 29
        }
      }
    }

    var bytes: [UInt8] {
      lanes.flatMap { lane in withUnsafeBytes(of: lane.bigEndian) { Array($0) } }
    }
  }
}
