#if canImport(CryptoKit)
import CryptoKit
#else
import CCrypto
#endif

/// Computes a SHA-256 digest of bytes that come piece by piece.
package struct SHA256Hasher: Sendable {
  /// The number of bytes of a digest.
  package static let byteCount = 32

  #if canImport(CryptoKit)
  private var context = SHA256()

  package init() {}
  #else
  private var context = SHA256_CTX()

  package init() { SHA256_Init(&context) }
  #endif

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
    context.update(bufferPointer: bytes)
    #else
    SHA256_Update(&context, bytes.baseAddress, bytes.count)
    #endif
  }

  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// The digest of the bytes so far.
  package var digest: [UInt8] {
    #if canImport(CryptoKit)
    Array(context.finalize())
    #else
    var (copy, digest) = (context, [UInt8](repeating: 0, count: Self.byteCount))
    SHA256_Final(&digest, &copy)
    return digest
    #endif
  }

  /// Returns the digest of bytes in memory.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hasher = SHA256Hasher()
    hasher.update(bytes)
    return hasher.digest
  }
}

/// Computes HMAC-SHA256 codes with one key (RFC 2104). The key is prepared once, which takes as long as a short message.
package struct SHA256Authenticator: Sendable {
  private var inner = SHA256Hasher()
  private var outer = SHA256Hasher()

  /// Prepares a key of at most 64 bytes; a longer one is replaced by its digest.
  package init(key: [UInt8]) {
    let key = key.count > 64 ? SHA256Hasher.digest(of: key) : key
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    inner.update(block.map { $0 ^ 0x36 })
    outer.update(block.map { $0 ^ 0x5c })
  }

  /// Returns the code of a message, in 32 bytes.
  package func code(of message: [UInt8]) -> [UInt8] {
    code(of: message, UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Returns the code of a message of two parts, in 32 bytes.
  package func code(of first: [UInt8], _ second: UnsafeRawBufferPointer) -> [UInt8] {
    var (inner, outer) = (inner, outer)
    inner.update(first)
    inner.update(second)
    outer.update(inner.digest)
    return outer.digest
  }
}

/// Returns the SHA-512 digest of bytes in memory.
package func sha512(of bytes: [UInt8]) -> [UInt8] {
  #if canImport(CryptoKit)
  return Array(SHA512.hash(data: bytes))
  #else
  var digest = [UInt8](repeating: 0, count: 64)
  SHA512(bytes, bytes.count, &digest)
  return digest
  #endif
}

/// Returns the key stream of ChaCha20 after its first block (RFC 8439), for a key of 32 bytes that is used once, or `nil`
/// if the library refuses.
package func chaCha20Stream(key: [UInt8], count: Int) -> [UInt8]? {
  var stream = [UInt8](repeating: 0, count: count)
  #if canImport(CryptoKit)
  let nonce = try? ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12))
  let box = nonce.flatMap {
    try? ChaChaPoly.seal(stream, using: SymmetricKey(data: key), nonce: $0)
  }
  if let box { stream = Array(box.ciphertext) }
  return box == nil ? nil : stream
  #else
  guard key.count == 32, let size = Int32(exactly: count), let context = EVP_CIPHER_CTX_new() else {
    return nil
  }
  defer { EVP_CIPHER_CTX_free(context) }
  // The number of the first block in little-endian order, then the nonce.
  let start = [1] + [UInt8](repeating: 0, count: 15)
  var length: Int32 = 0
  // The source and the target may be the same bytes.
  return stream.withUnsafeMutableBufferPointer {
    EVP_EncryptInit_ex(context, EVP_chacha20(), nil, key, start) == 1
      && EVP_EncryptUpdate(context, $0.baseAddress, &length, $0.baseAddress, size) == 1
      && length == size
  } ? stream : nil
  #endif
}
