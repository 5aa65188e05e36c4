#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What a test could not set up.
struct DescriptorSetupFailure: Error {
  /// What it was.
  var what: String
}

/// A pipe whose ends no child inherits.
struct TestPipe {
  /// The end to read from.
  let reading: Int32
  /// The end to write to.
  let writing: Int32

  /// Opens the pipe.
  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw DescriptorSetupFailure(what: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }

  /// Everything that was written; closes both ends.
  func finish() -> String {
    close(writing)
    defer { close(reading) }
    return String(decoding: readToEnd(reading), as: UTF8.self)
  }
}

/// Reads until the end of a descriptor; a terminal whose other side is closed has ended as well.
func readToEnd(_ descriptor: Int32) -> [UInt8] {
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 64 * 1024)
  while true {
    let count = read(descriptor, &block, block.count)
    if count > 0 {
      bytes += block[..<count]
    } else if count == 0 || errno != EINTR {
      return bytes
    }
  }
}

/// A real terminal: what is written to `terminal` can be read from `master`.
struct TestTerminal {
  /// The side that a person would look at.
  let master: Int32
  /// The side that programs write to.
  let terminal: Int32

  /// Opens a terminal of a given size.
  init(columns: UInt16, rows: UInt16) throws {
    var ends: (master: Int32, terminal: Int32) = (-1, -1)
    var size = winsize()
    size.ws_col = columns
    size.ws_row = rows
    guard openpty(&ends.master, &ends.terminal, nil, nil, &size) == 0 else {
      throw DescriptorSetupFailure(what: "pseudo terminal")
    }
    (master, terminal) = ends
    for end in [master, terminal] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  /// What has been shown, with plain line ends; closes both sides. For small outputs.
  func finish() -> String {
    close(terminal)
    defer { close(master) }
    let bytes = readToEnd(master).filter { $0 != UInt8(ascii: "\r") }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A private folder that is removed with everything in it.
final class ScriptFolder {
  /// Its path.
  let path: String
  private var names: [String] = []

  /// Makes the folder.
  init() throws {
    var template = Array("/tmp/histctl-terminal-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw DescriptorSetupFailure(what: "folder") }
    path = template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The path of a file in the folder, which is removed at the end.
  func file(_ name: String) -> String {
    names.append(name)
    return "\(path)/\(name)"
  }

  /// Writes a shell script and returns its path.
  func script(_ name: String, _ text: String) throws -> String {
    let path = file(name)
    try write("#!/bin/sh\n\(text)\n", to: path)
    chmod(path, 0o700)
    return path
  }

  /// Writes a file.
  func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DescriptorSetupFailure(what: path) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    #if canImport(Darwin)
    let count = Darwin.write(descriptor, bytes, bytes.count)
    #elseif canImport(Musl)
    let count = Musl.write(descriptor, bytes, bytes.count)
    #else
    let count = Glibc.write(descriptor, bytes, bytes.count)
    #endif
    guard count == bytes.count else { throw DescriptorSetupFailure(what: path) }
  }

  /// A file's text.
  func text(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw DescriptorSetupFailure(what: path) }
    defer { close(descriptor) }
    return String(decoding: readToEnd(descriptor), as: UTF8.self)
  }
}

/// Runs code in a copy of this process and returns the status that `waitpid` gives.
///
/// Swift hides `fork`, since most code is not safe in the child of a process with threads; tests
/// of signals and of closed descriptors keep to system calls there.
func statusOfForkedChild(_ body: () -> Void) throws -> Int32 {
  guard let library = dlopen(nil, RTLD_NOW), let symbol = dlsym(library, "fork") else {
    throw DescriptorSetupFailure(what: "fork")
  }
  let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
  let child = fork()
  if child == 0 {
    // Threads of a concurrency runtime block signals, and the child has nothing but such a one.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
    body()
    _exit(99)
  }
  guard child > 0 else { throw DescriptorSetupFailure(what: "fork") }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status
}
