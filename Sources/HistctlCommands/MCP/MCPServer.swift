import HistoryCoding
import Libc
import Terminal

/// Answers messages of the Model Context Protocol until the input ends.
///
/// One thread waits for the client and for the command of a call at the same time, so that nothing needs
/// a lock. One command runs at a time, so that memory stays small, besides those that were canceled and are about to
/// end.
final class MCPServer {
  /// The protocol versions with a handshake, oldest first.
  private static let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
  /// The only version with arrays of messages.
  private static let batchVersion = "2025-03-26"
  /// The version in which each request names its version.
  private static let statelessVersion = "2026-07-28"
  /// The limits of one message, which is hostile input.
  private static let reader = JSONReader(depthLimit: 64, valueLimit: 50_000)
  /// The number of canceled calls whose commands may run; a limit for a client that cancels faster than they end.
  private static let maxAbandoned = 32
  /// The number of calls that may wait.
  private static let maxWaiting = 16
  /// The maximum number of messages in an array, whose answers are kept until all are there.
  private static let maxBatch = 100

  private let tools: MCPTools
  private let textLimit: Int
  private let input: Int32
  private var output: OutputWriter?
  private var isInputOpen: Bool
  private var lines = MCPLines()
  /// The version of the handshake.
  private var version = ""
  private var running: MCPCall?
  private var waiting: [MCPCall] = []
  /// The canceled calls whose commands have not ended yet. No call waits for them.
  private var abandoned: [MCPCall] = []

  init(tools: MCPTools, textLimit: Int, input: Int32) {
    self.tools = tools
    self.textLimit = textLimit
    self.input = input
    isInputOpen = input >= 0
  }

  /// Answers every message of the input.
  func run(_ output: OutputWriter) throws {
    self.output = output
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer {
      running?.cancel()
      buffer.deallocate()
    }
    while isInputOpen || running != nil || !abandoned.isEmpty {
      let calls = abandoned + [running].compactMap(\.self)
      var waits = ((isInputOpen ? [input] : []) + calls.flatMap(\.descriptors))
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = poll(&waits, nfds_t(waits.count), -1)
      // Calls first: reading the input may start others, whose pipes may get the numbers of closed ones.
      for wait in waits where wait.revents != 0 && wait.fd != input {
        calls.first { $0.descriptors.contains(wait.fd) }?.read(wait.fd, buffer)
      }
      if waits.contains(where: { $0.fd == input && $0.revents != 0 }) { try readInput(buffer) }
      abandoned.removeAll(where: \.isFinished)
      if let call = running, call.isFinished {
        running = nil
        do {
          try answer(call.request, try call.result())
        } catch var error as MCPError {
          error.id = call.request.id
          try send(error.json, in: call.request.batch)
        }
      }
      if running == nil { try startNext() }
    }
  }

  private func readInput(_ buffer: UnsafeMutableRawBufferPointer) throws {
    let count = read(input, buffer.baseAddress, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    isInputOpen = count > 0
    for line in lines.add(buffer[..<max(count, 0)]) { try handle(line) }
    if !isInputOpen { try handle(lines.end()) }
  }

  // MARK: - Messages

  private func handle(_ line: [UInt8]?) throws {
    do {
      guard let line else {
        throw MCPError.invalidRequest("a message must not be longer than \(MCPLines.limitText)")
      }
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
      let json = try Self.parse(line)
      guard case .array(let messages) = json else { return try handle(json, in: nil) }
      guard version == Self.batchVersion, (1...Self.maxBatch).contains(messages.count) else {
        throw MCPError.invalidRequest(
          "only version \(Self.batchVersion) has arrays, of 1 to \(Self.maxBatch) messages")
      }
      let batch = MCPBatch()
      for message in messages { try handle(message, in: batch) }
      try close(batch)
    } catch let error as MCPError {
      try send(error.json, in: nil)
    }
  }

  private static func parse(_ line: [UInt8]) throws(MCPError) -> JSONValue {
    do { return try reader.read(line) } catch { throw .parse(error.description) }
  }

  private func handle(_ json: JSONValue, in batch: MCPBatch?) throws {
    var id = JSONValue.null
    do {
      switch try MCPMessage(json) {
      case .response: break
      case .notification("notifications/cancelled", let params): try cancel(params["requestId"])
      case .notification: break
      case .request(var request):
        (id, request.batch) = (request.id, batch)
        batch?.openCount += 1
        if let result = try result(of: request) { try answer(request, result) }
      }
    } catch var error as MCPError {
      if id == .null { batch?.openCount += 1 } else { error.id = id }
      try send(error.json, in: batch)
    }
  }

  /// Returns the result of a request, or `nil` for a call whose command has yet to run.
  private func result(of request: MCPRequest) throws -> JSONObject? {
    if let version = request.version, version != .string(Self.statelessVersion) {
      let supported = (Self.versions + [Self.statelessVersion]).json
      throw MCPError(
        code: -32022, message: "unsupported protocol version",
        data: ["supported": supported, "requested": version])
    }
    switch request.method {
    case "initialize": return try initialize(request)
    case "server/discover":
      return [
        "supportedVersions": [.string(Self.statelessVersion)], "capabilities": Self.capabilities,
        "instructions": .string(tools.instructions),
        "_meta": ["io.modelcontextprotocol/serverInfo": Self.serverInfo],
      ]
    case "ping": return [:]
    case "tools/list":
      guard request.params["cursor"] == nil else {
        throw MCPError.invalidParams("unknown cursor: the list of tools has one page")
      }
      return ["tools": tools.descriptions]
    case "tools/call": return try call(request)
    case "resources/list": return try wait(for: listOfStores(request))
    case "resources/templates/list": return ["resourceTemplates": []]
    case "resources/read": return try wait(for: content(request))
    default: throw MCPError.unknownMethod(request.method)
    }
  }

  private func initialize(_ request: MCPRequest) throws(MCPError) -> JSONObject {
    guard request.batch == nil else {
      throw .invalidRequest("initialize must not be in an array of messages")
    }
    guard let wanted = request.params["protocolVersion"]?.text else {
      throw .invalidParams("initialize needs a protocolVersion")
    }
    version = Self.versions.contains(wanted) ? wanted : Self.versions.last ?? wanted
    return [
      "protocolVersion": .string(version), "capabilities": Self.capabilities,
      "serverInfo": Self.serverInfo, "instructions": .string(tools.instructions),
    ]
  }

  private static let capabilities: JSONValue = ["tools": [:], "resources": [:]]
  private static let serverInfo: JSONValue = [
    "name": "histctl", "title": "histctl", "version": .string(Version.text),
  ]

  // MARK: - Calls

  private func call(_ request: MCPRequest) throws -> JSONObject? {
    let name = request.params["name"]?.text ?? ""
    guard let tool = MCPTool.all.first(where: { $0.name == name }) else {
      throw MCPError.invalidParams("no tool named '\(name)'")
    }
    guard case .object(let arguments) = request.params["arguments"] ?? [:] else {
      throw MCPError.invalidParams("arguments must be an object")
    }
    let call: MCPCall
    do {
      call = try tools.call(tool, arguments, request: request, textLimit: textLimit)
    } catch {
      return MCPCall.result(error)
    }
    return try wait(for: call)
  }

  private func listOfStores(_ request: MCPRequest) throws(MCPError) -> MCPCall {
    var start = 0
    if let cursor = request.params["cursor"] {
      guard let number = cursor.text.flatMap({ Int($0) }), number >= 0 else {
        throw .invalidParams("unknown cursor")
      }
      start = number
    }
    return MCPCall(
      request, ["find", "--json", "--"] + tools.paths.roots, textLimit: textLimit,
      answer: .stores(start: start))
  }

  private func content(_ request: MCPRequest) throws(MCPError) -> MCPCall {
    guard let address = request.params["uri"]?.text, let path = StoreResource.path(address) else {
      throw .invalidParams("resources/read needs the uri of a resource that resources/list names")
    }
    let place: String
    do { place = try tools.paths.path(path) } catch {
      throw MCPError(code: -32002, message: "resource not found", data: ["uri": .string(address)])
    }
    return MCPCall(
      request, ["info", "--json", "--", place], textLimit: textLimit,
      answer: .store(address: address))
  }

  /// Runs a call when those before it have ended; it is answered then.
  private func wait(for call: MCPCall) throws -> JSONObject? {
    guard waiting.count < Self.maxWaiting else {
      throw MCPError(code: -32000, message: "\(Self.maxWaiting) calls wait already")
    }
    waiting.append(call)
    if running == nil { try startNext() }
    return nil
  }

  private func startNext() throws {
    while !waiting.isEmpty, abandoned.count < Self.maxAbandoned {
      let call = waiting.removeFirst()
      if call.start() { return running = call }
      let error = MCPError(
        code: -32603, message: "the system has no pipe left", id: call.request.id)
      try send(error.json, in: call.request.batch)
    }
  }

  private func cancel(_ id: JSONValue?) throws {
    if let call = running, call.request.id == id {
      call.cancel()
      running = nil
      abandoned.append(call)
      try close(call.request.batch)
      return try startNext()
    }
    guard let place = waiting.firstIndex(where: { $0.request.id == id }) else { return }
    try close(waiting.remove(at: place).request.batch)
  }

  // MARK: - Answers

  private func answer(_ request: MCPRequest, _ result: JSONObject) throws {
    var result = result
    if request.version != nil {
      result["resultType"] = "complete"
      if !["tools/call", "resources/list", "resources/read"].contains(request.method) {
        // Nothing of it changes while the server runs.
        result["ttlMs"] = 3_600_000
        result["cacheScope"] = "private"
      }
    }
    try send(
      ["jsonrpc": "2.0", "id": request.id, "result": .object(result)], in: request.batch)
  }

  private func send(_ message: JSONValue, in batch: MCPBatch?) throws {
    guard let batch else { return try output?.writeLine(message) ?? () }
    batch.answers.append(message)
    try close(batch)
  }

  /// Notes that an answer of a batch is complete, and sends the batch after the last one.
  private func close(_ batch: MCPBatch?) throws {
    guard let batch else { return }
    batch.openCount -= 1
    guard batch.openCount == 0, !batch.answers.isEmpty else { return }
    try output?.writeLine(.array(batch.answers))
  }
}
