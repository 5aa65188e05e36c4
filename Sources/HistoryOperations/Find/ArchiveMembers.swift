import CArchive
import DurableFiles
import HistoryCoding
import Libc
import StoreFormat
import SystemPackage

/// Reads the members of a zip or tar file one after the other, within limits.
final class ArchiveMembers {
  struct Member {
    /// The place among the members, from 0.
    let index: Int
    let name: String
    let isFile: Bool
    /// The size in bytes as the archive says, which need not be true.
    let size: Int64?
  }

  private static let blockLength = 1 << 16
  /// The maximum number of members.
  private static let maxMembers = 1_000_000

  private let path: String
  private let limits: FindOperation.Limits
  private let archive: OpaquePointer
  private let file: ReadableFile
  /// The bytes of a tar file; libarchive keeps a pointer to it.
  private let source: UnpackedSource
  private var count = 0
  /// The bytes that were unpacked so far.
  private var unpacked: Int64 = 0

  /// Opens a file; a link is not followed.
  init(_ path: FilePath, limits: FindOperation.Limits) throws {
    self.path = path.shown
    self.limits = limits
    guard let archive = archive_read_new() else {
      throw StoreError.unreadable(path: path.shown, reason: Errno.noMemory.description)
    }
    self.archive = archive
    do {
      file = try ReadableFile(path, followsLink: false)
    } catch {
      archive_read_free(archive)
      throw StoreError.reading(path.shown, error)
    }
    source = UnpackedSource(file)
    let formats = [archive_read_support_format_tar, archive_read_support_format_zip_seekable]
    guard formats.allSatisfy({ $0(archive) == ARCHIVE_OK }) else { throw failure() }
    // A zip file is read from its end. The others are unpacked here, which bounds the memory that a frame of
    // zstd can ask for; filters of libarchive would take what the frame says, or start programs.
    let isZip =
      (try? file.readPrefix(2)) == Array("PK".utf8) || self.path.lowercased().hasSuffix(".zip")
    let status =
      isZip
      ? file.withDescriptor { archive_read_open_fd(archive, $0.rawValue, Self.blockLength) }
      : archive_read_open(
        archive, Unmanaged.passUnretained(source).toOpaque(), nil, UnpackedSource.read, nil)
    if status != ARCHIVE_OK { throw failure() }
  }

  deinit { archive_read_free(archive) }

  /// Returns the next member, or `nil` after the last.
  func next() throws -> Member? {
    var entry: OpaquePointer?
    let status = archive_read_next_header(archive, &entry)
    if status == ARCHIVE_EOF { return nil }
    guard status >= ARCHIVE_WARN, let entry else { throw failure() }
    guard count < Self.maxMembers else {
      throw tooLarge("has more than \(Self.maxMembers) members")
    }
    defer { count += 1 }
    let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
    let size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : nil
    // To skip a member of a tar file, it must be unpacked.
    if !isZip { try unpack(max(size ?? 0, 0)) }
    return Member(
      index: count, name: name.map { String(cString: $0) } ?? "", isFile: isFile(entry), size: size)
  }

  /// Reads the beginning of the current member, fewer bytes only at its end.
  func readPrefix(_ length: Int, after start: [UInt8] = []) throws -> [UInt8] {
    var bytes = start
    var buffer = [UInt8](repeating: 0, count: Self.blockLength)
    while bytes.count < length {
      let count = try read(into: &buffer, atMost: length - bytes.count)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Writes the rest of the current member to a new file that only this user can read.
  func extract(_ member: Member, to target: String) throws {
    let output = try FileDescriptor.open(
      FilePath(target), .writeOnly, options: [.create, .truncate, .closeOnExec],
      permissions: .ownerReadWrite)
    defer { try? output.close() }
    var buffer = [UInt8](repeating: 0, count: Self.blockLength)
    var length: Int64 = 0
    while case let count = try read(into: &buffer, atMost: buffer.count), count > 0 {
      length += Int64(count)
      try checkLength(length, of: member)
      try output.writeAll(buffer[..<count])
    }
  }

  /// Rejects a member that is too long to be extracted.
  func checkLength(_ length: Int64, of member: Member) throws {
    guard length > limits.memberByteCount else { return }
    throw OperationError(
      .tooLarge,
      "\(path)!/\(member.name) has more than \(limits.memberByteCount) bytes",
      hint: "raise --max-member, or unpack the archive and search its folder")
  }

  private var isZip: Bool {
    archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK == ARCHIVE_FORMAT_ZIP
  }

  private func isFile(_ entry: OpaquePointer) -> Bool {
    archive_entry_filetype(entry) == S_IFREG
  }

  private func read(into buffer: inout [UInt8], atMost length: Int) throws -> Int {
    let length = min(length, buffer.count)
    let count = buffer.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, length) }
    guard count >= 0 else { throw failure() }
    if isZip { try unpack(Int64(count)) }
    return Int(count)
  }

  private func unpack(_ count: Int64) throws {
    let (sum, overflow) = unpacked.addingReportingOverflow(count)
    unpacked = sum
    guard !overflow, sum <= limits.archiveByteCount else {
      throw tooLarge("unpacks to more than \(limits.archiveByteCount) bytes")
    }
  }

  private func tooLarge(_ problem: String) -> OperationError {
    OperationError(
      .tooLarge, "\(path) \(problem)",
      hint: "raise --max-unpacked, or unpack the archive and search its folder")
  }

  private func failure() -> OperationError {
    let reason =
      source.error.map { ($0 as? Errno)?.description ?? "\($0)" }
      ?? archive_error_string(archive).map { String(String(cString: $0).prefix { !$0.isNewline }) }
    return OperationError(
      .unreadable, "cannot read \(path): \(reason ?? "it is not a zip or tar file")",
      hint: "unpack the archive with the program that packed it, and search its folder")
  }
}

/// Passes the bytes of a file to libarchive, unpacked if it is compressed with gzip or zstd.
private final class UnpackedSource {
  private let unpacker: TextUnpacker
  /// The piece that libarchive reads, until it asks for the next.
  private var piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)
  /// Why no more can be read.
  private(set) var error: (any Error)?

  init(_ file: ReadableFile) {
    unpacker = TextUnpacker { try file.read(into: $0) }
  }

  deinit { piece.deallocate() }

  /// Reads the next piece for libarchive: its length, 0 after the last one, or -1 for an error.
  static let read:
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeRawPointer?>?
    ) -> Int = { _, context, target in
      guard let context, let target else { return -1 }
      let source = Unmanaged<UnpackedSource>.fromOpaque(context).takeUnretainedValue()
      do {
        let bytes = try source.unpacker.next() ?? []
        source.piece.deallocate()
        source.piece = .allocate(byteCount: bytes.count, alignment: 16)
        source.piece.copyBytes(from: bytes)
        target.pointee = UnsafeRawPointer(source.piece.baseAddress)
        return bytes.count
      } catch {
        source.error = error
        return -1
      }
    }
}
