import Libc

/// Writes standard output, buffered, and checks every write.
///
/// Swift's `print` ignores a full disk. This writer completes short and interrupted writes, and throws the first
/// failure, then and from every later call.
///
/// Output is lost without `flush()` or `close()`, because a deinitializer cannot report a failure; every
/// successful path calls `close()`. Use it on one thread only.
package final class OutputWriter {
  /// What `close()` does with the descriptor.
  package enum Ownership {
    /// It stays open, as standard output must: a file opened later would take its number.
    case borrowed
    /// It is closed, as the end of a pager's pipe must be.
    case owned
  }

  /// The number of bytes to buffer before writing them.
  static let bufferCapacity = 64 * 1024

  /// Whether each line is written as soon as it ends: for terminals, and for `--follow`.
  package var flushesEachLine: Bool

  /// Whether a closed pipe is ignored, because the work matters more than its output.
  package var outlivesReader = false
  /// The form of records that are escaped for a terminal, or `nil` where output goes elsewhere or is already
  /// escaped.
  package var guardedForm: TerminalGuard.Form? {
    get { terminalGuard?.form }
    set { terminalGuard = newValue.map { TerminalGuard($0) } }
  }

  private var terminalGuard: TerminalGuard?
  private let descriptor: Int32
  private let ownership: Ownership
  private let buffer: UnsafeMutableRawBufferPointer
  private var bufferedCount = 0
  private var failure: OutputError?
  private var isClosed = false

  /// Creates a writer, by default for standard output.
  ///
  /// The process must ignore SIGPIPE (`Signals.ignoreFailedWrites()`).
  package init(
    descriptor: Int32 = STDOUT_FILENO, ownership: Ownership = .borrowed,
    flushesEachLine: Bool = false
  ) {
    self.descriptor = descriptor
    self.ownership = ownership
    self.flushesEachLine = flushesEachLine
    buffer = .allocate(byteCount: Self.bufferCapacity, alignment: 16)
  }

  deinit {
    buffer.deallocate()
    if ownership == .owned && !isClosed { _ = systemClose(descriptor) }
  }

  /// Writes bytes as they are.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    accept(bytes)
    try throwFailure()
  }

  /// Writes bytes as they are.
  package func write(_ bytes: [UInt8]) throws(OutputError) {
    bytes.withUnsafeBytes { accept($0) }
    try throwFailure()
  }

  /// Writes text as UTF-8. Text from a store goes through `TerminalText` first.
  package func write(_ text: String) throws(OutputError) {
    acceptText(text)
    try throwFailure()
  }

  /// Writes text as UTF-8 and ends the line.
  package func writeLine(_ text: String) throws(OutputError) {
    acceptText(text)
    withUnsafeBytes(of: UInt8(ascii: "\n")) { accept($0) }
    try throwFailure()
  }

  /// Writes everything that is buffered.
  package func flush() throws(OutputError) {
    releaseGuarded()
    deliverBuffer()
    try throwFailure()
  }

  /// Flushes, and checks for failures that the file system reports only when a file is closed.
  ///
  /// A second call does nothing; writing afterwards fails.
  package func close() throws(OutputError) {
    guard !isClosed else { return }
    isClosed = true
    releaseGuarded()
    deliverBuffer()
    let status: Int32
    switch ownership {
    case .owned:
      status = systemClose(descriptor)
    case .borrowed:
      // Network file systems report a full disk when a descriptor is closed. Closing a duplicate
      // has the same effect, and the number stays in use.
      let duplicate = dup(descriptor)
      status = duplicate < 0 ? 0 : systemClose(duplicate)
    }
    // After EINTR the descriptor's state is unspecified, and closing again may hit another file.
    if status != 0 && errno != EINTR && failure == nil { failure = .failed(errno) }
    try throwFailure()
    failure = .failed(EBADF)
  }

  private func throwFailure() throws(OutputError) {
    guard let failure, !(outlivesReader && failure == .closedPipe) else { return }
    throw failure
  }

  private func acceptText(_ text: String) {
    var text = text
    text.withUTF8 { accept(UnsafeRawBufferPointer($0)) }
  }

  /// Takes bytes in; a failure is kept and not thrown, because closures over unsafe memory
  /// cannot throw a typed error.
  private func accept(_ bytes: UnsafeRawBufferPointer) {
    guard terminalGuard != nil else { return acceptHarmless(bytes) }
    terminalGuard?.add(bytes)
    releaseGuarded(onlyLines: true)
  }

  /// Accepts text that was held back until it could be escaped.
  private func releaseGuarded(onlyLines: Bool = false) {
    guard let text = terminalGuard?.take(onlyLines: onlyLines) else { return }
    text.withUnsafeBytes { acceptHarmless($0) }
  }

  private func acceptHarmless(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, let source = bytes.baseAddress, !bytes.isEmpty else { return }
    if bytes.count > buffer.count - bufferedCount { deliverBuffer() }
    if bytes.count >= buffer.count {
      deliver(bytes)
    } else if failure == nil {
      UnsafeMutableRawBufferPointer(rebasing: buffer[bufferedCount...])
        .copyMemory(from: UnsafeRawBufferPointer(start: source, count: bytes.count))
      bufferedCount += bytes.count
    }
    if flushesEachLine && memchr(source, Int32(UInt8(ascii: "\n")), bytes.count) != nil {
      deliverBuffer()
    }
  }

  private func deliverBuffer() {
    deliver(UnsafeRawBufferPointer(rebasing: buffer[..<bufferedCount]))
    bufferedCount = 0
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer) {
    var remaining = bytes
    while failure == nil && !remaining.isEmpty {
      // Some systems refuse a single write of 2 GiB or more.
      let count = systemWrite(descriptor, remaining.baseAddress, min(remaining.count, 1 << 30))
      if count > 0 {
        remaining = UnsafeRawBufferPointer(rebasing: remaining[min(count, remaining.count)...])
      } else if count == 0 {
        failure = .failed(EIO)
      } else {
        recover(from: errno)
      }
    }
  }

  private func recover(from number: Int32) {
    switch number {
    case EINTR:
      break
    case EAGAIN, EWOULDBLOCK:
      // Another program that shares the terminal or pipe may have made it non-blocking.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&request, 1, -1) < 0 && errno != EINTR && errno != EAGAIN {
        failure = .failed(errno)
      }
    case EPIPE:
      failure = .closedPipe
    default:
      failure = .failed(number)
    }
  }
}

/// The system's `write`, under a name that the class's own methods do not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// The system's `close`, under a name that the class's own method does not hide.
private func systemClose(_ descriptor: Int32) -> Int32 {
  close(descriptor)
}

/// A failure to write to standard output.
package enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The reader has closed the pipe: `| head` has read enough, or the pager was quit.
  ///
  /// The program then ends quietly and with success.
  case closedPipe

  /// Anything else, with the system's error number. The program ends with exit status 9.
  case failed(Int32)

  /// The failure and its reason, in one line.
  package var description: String {
    switch self {
    case .closedPipe:
      "the reader of standard output has gone"
    case .failed(let number):
      "cannot write to standard output: \(String(cString: strerror(number)))"
    }
  }

  /// What to do about it, or `nil`.
  package var hint: String? {
    guard case .failed(let number) = self else { return nil }
    switch number {
    case ENOSPC, EDQUOT: return "free some space, or write to another file system"
    case EFBIG: return "raise the limit on file sizes (ulimit -f), or write several files"
    case EBADF: return "give histctl a standard output that can be written"
    default: return nil
    }
  }
}

/// Escapes records for programs where they are written to a terminal.
///
/// It works line by line, because preceding characters can make a character harmless.
package struct TerminalGuard {
  package enum Form {
    /// Lines of JSON; the escapes keep their meaning.
    case json
    /// Other text in lines, such as comma-separated values with line ends in quotes.
    case text
  }

  /// The maximum length of a line in bytes; longer ones are escaped in pieces.
  private static let longest = 1 << 16

  package let form: Form
  private var pending: [UInt8] = []

  init(_ form: Form) { self.form = form }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) { pending += bytes }

  /// Removes and returns escaped text, or `nil` where there is none.
  ///
  /// - Parameter onlyLines: Whether text after the last line end is held back.
  package mutating func take(onlyLines: Bool) -> [UInt8]? {
    var end = pending.endIndex
    if onlyLines {
      if let lineEnd = pending.lastIndex(of: UInt8(ascii: "\n")) {
        end = lineEnd + 1
      } else if pending.count > Self.longest {
        while end > 0, pending[end - 1] & 0xC0 == 0x80 { end -= 1 }
        // The last character may be incomplete.
        end = max(0, end - 1)
      } else {
        return nil
      }
    }
    guard end > 0 else { return nil }
    let text = String(decoding: pending[..<end], as: UTF8.self)
    pending.removeSubrange(..<end)
    return Array(harmless(text).utf8)
  }

  private func harmless(_ text: String) -> String {
    let mode: TerminalText = form == .json ? .terminalJSON : .terminal
    var result = ""
    var rest = text.unicodeScalars[...]
    while let end = rest.firstIndex(of: "\n") {
      result += mode.escaped(String(rest[..<end]))
      result.unicodeScalars.append(rest[end])
      rest = rest[rest.index(after: end)...]
    }
    return result + mode.escaped(String(rest))
  }
}
