import Dispatch
import HistoryCoding
import Libc
import StoreFormat
import Synchronization
import Terminal

/// A call of a tool: a command that runs on a thread of its own and writes into pipes.
final class MCPCall {
  /// The maximum length of the text of standard error, in bytes; the rest is read and dropped.
  private static let maxErrors = 1 << 16

  /// What the lines of the command become.
  enum Answer {
    /// The result of a tool: the lines from a position on. There may be more after `lineLimit` lines.
    case tool(MCPTool, start: Int, lineLimit: Int?)
    /// A page of the list of stores, from a position on.
    case stores(start: Int)
    /// The content of the resource with an address.
    case store(address: String)
  }

  let request: MCPRequest
  private let answer: Answer
  private let arguments: [String]
  private let textLimit: Int
  /// The ends of the pipes that are read, -1 after their end. The pipe of errors stays open as long as
  /// the command runs.
  private var outputEnd: Int32 = -1
  private var errorsEnd: Int32 = -1
  private var output: [UInt8] = []
  private var errors: [UInt8] = []
  private var isCut = false
  /// The number of lines at the beginning of the output that the client has.
  private var knownLineCount: Int
  private let status = SharedStatus()
  private let cancellation = Cancellation()

  init(_ request: MCPRequest, _ arguments: [String], textLimit: Int, answer: Answer) {
    self.request = request
    self.answer = answer
    knownLineCount =
      switch answer {
      case .tool(_, let start, _), .stores(let start): start
      case .store: 0
      }
    self.arguments = arguments
    self.textLimit = textLimit
  }

  deinit {
    end(&outputEnd)
    end(&errorsEnd)
  }

  // MARK: - Running

  /// Starts the command, and returns `false` if the system has no pipes left.
  func start() -> Bool {
    guard let output = Pager.openPipe() else { return false }
    guard let errors = Pager.openPipe() else {
      for end in [output.reading, output.writing] { close(end) }
      return false
    }
    (outputEnd, errorsEnd) = (output.reading, errors.reading)
    let console = Console(
      terminal: TerminalEnvironment(), output: output.writing, errors: errors.writing)
    let scope = ReadingScope()
    DispatchQueue(label: "histctl.mcp").async { [arguments, status, cancellation] in
      let end = scope.run {
        Cancellation.$current.withValue(cancellation) { Program.run(arguments, console) }
      }
      status.value.withLock { $0 = end }
      // The end of the errors shows that the command has ended.
      close(console.output)
      close(console.errors)
    }
    return true
  }

  /// What to wait for.
  var descriptors: [Int32] { [outputEnd, errorsEnd].filter { $0 >= 0 } }

  var isFinished: Bool { outputEnd < 0 && errorsEnd < 0 }

  /// Reads what a pipe has.
  func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) {
    let count = Libc.read(descriptor, buffer.baseAddress, buffer.count)
    if count < 0, errno == EINTR { return }
    let bytes = buffer[..<max(count, 0)]
    if descriptor == errorsEnd {
      errors += bytes.prefix(Self.maxErrors - errors.count)
      if count <= 0 { end(&errorsEnd) }
    } else {
      var new = bytes
      while knownLineCount > 0, let end = new.firstIndex(of: UInt8(ascii: "\n")) {
        new = new[(end + 1)...]
        knownLineCount -= 1
      }
      if knownLineCount > 0 { new = new[new.endIndex...] }
      let room = textLimit - output.count
      output += new.prefix(room)
      isCut = new.count > room
      if count <= 0 || isCut { end(&outputEnd) }
    }
  }

  /// Ends the command at the next step of its reading, or with its next output, and drops its answer.
  func cancel() {
    cancellation.cancel()
    end(&outputEnd)
  }

  private func end(_ descriptor: inout Int32) {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }

  // MARK: - The answer

  /// The result for the client.
  ///
  /// - Throws: ``MCPError`` if there is none.
  func result() throws(MCPError) -> JSONObject {
    let status = status.value.withLock { $0 }
    let text = Self.lines(output, isCut: isCut)
    let words = Self.lines(errors, isCut: errors.count == Self.maxErrors)
    let lineCount = text.utf8.count { $0 == UInt8(ascii: "\n") } + (isCut && endsWithLine ? 1 : 0)
    switch answer {
    case .tool(let tool, let start, let lineLimit):
      let isMore = isCut ? lineCount > 0 : lineLimit.map { lineCount >= $0 } ?? false
      let cursor = isMore ? "\(start + lineCount)" : nil
      var result = Self.result(
        [text, words, note(cursor)].filter { !$0.isEmpty },
        isError: status != .success && (!tool.answers.contains(status) || output.isEmpty))
      if let cursor { result["_meta"] = ["nextCursor": .string(cursor)] }
      return result
    case .stores(let start):
      var result: JSONObject = ["resources": .array(StoreResource.list(text))]
      if isCut, lineCount > 0 { result["nextCursor"] = .string("\(start + lineCount)") }
      return result
    case .store(let address):
      guard status == .success || status == .damaged, !text.isEmpty else {
        throw MCPError(code: -32603, message: words)
      }
      return StoreResource.content(address, text)
    }
  }

  /// Whether the text that was cut has a whole line.
  private var endsWithLine: Bool { output.contains(UInt8(ascii: "\n")) }

  /// Returns what the client can do about the rest; empty if there is none.
  private func note(_ cursor: String?) -> String {
    let next = cursor.map { "call the tool again with the cursor \"\($0)\"" }
    guard isCut else { return next.map { "There may be more: \($0)." } ?? "" }
    return
      "The output is longer than \(ByteCount(Int64(textLimit))) and was cut. Ask for less: a smaller "
      + "limit, a shorter range (after, until) or conditions such as entity, object and author"
      + (next.map { "; or \($0) for the rest" } ?? "") + "."
  }

  /// Makes a result of texts.
  static func result(_ texts: [String], isError: Bool) -> JSONObject {
    [
      "content": .array(texts.map { ["type": "text", "text": .string($0)] }),
      "isError": .boolean(isError),
    ]
  }

  /// Makes a result of an error, as the commands report it.
  static func result(_ failure: Failure) -> JSONObject {
    var line = JSONWriter()
    line.append(failure.json)
    return result([String(decoding: line.bytes, as: UTF8.self)], isError: true)
  }

  /// The text of whole lines, or the beginning of a single line that was cut.
  private static func lines(_ bytes: [UInt8], isCut: Bool) -> String {
    let end = isCut ? bytes.lastIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex : bytes.endIndex
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// The status that a command ends with, written on its thread.
  private final class SharedStatus: Sendable {
    let value = Mutex(ExitStatus.failure)
  }
}
