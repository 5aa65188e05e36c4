import HistoryCoding

/// A message of a client, in JSON-RPC 2.0.
enum MCPMessage {
  case request(MCPRequest)
  case notification(method: String, params: JSONObject)
  /// A response, which is ignored: this server sends no requests.
  case response

  /// Reads a message, which is not a batch.
  init(_ json: JSONValue) throws(MCPError) {
    guard case .object(let object) = json, object["jsonrpc"] == "2.0" else {
      throw .invalidRequest(#"a message must be an object with "jsonrpc":"2.0""#)
    }
    guard let method = object["method"]?.text else {
      guard object["method"] == nil, object["result"] != nil || object["error"] != nil else {
        throw .invalidRequest("a message must have a method")
      }
      self = .response
      return
    }
    let params: JSONObject? =
      switch object["params"] {
      case nil: [:]
      case .object(let params)?: params
      default: nil
      }
    switch object["id"] {
    case nil: self = .notification(method: method, params: params ?? [:])
    case .string?, .integer?, .real?:
      let id = object["id"] ?? .null
      guard let params else { throw .invalidParams("params must be an object", id: id) }
      self = .request(MCPRequest(id: id, method: method, params: params))
    default: throw .invalidRequest("the id must be a text or a number")
    }
  }
}

/// A request of a client.
struct MCPRequest {
  let id: JSONValue
  let method: String
  let params: JSONObject
  /// The batch that it came in.
  var batch: MCPBatch?

  /// The protocol version that the request names itself, as clients without a handshake do.
  var version: JSONValue? { params["_meta"]?["io.modelcontextprotocol/protocolVersion"] }
}

/// The answers to requests that came in one array, which are sent as one.
final class MCPBatch {
  var answers: [JSONValue] = []
  /// The number of answers to wait for, and one while the array is read.
  var openCount = 1
}

/// An error of the protocol.
struct MCPError: Error {
  let code: Int64
  let message: String
  var id = JSONValue.null
  var data: JSONValue?

  static func parse(_ message: String) -> Self { Self(code: -32700, message: message) }
  static func invalidRequest(_ message: String) -> Self { Self(code: -32600, message: message) }
  static func unknownMethod(_ name: String) -> Self {
    Self(code: -32601, message: "no method named '\(name)'")
  }
  static func invalidParams(_ message: String, id: JSONValue = .null) -> Self {
    Self(code: -32602, message: message, id: id)
  }

  /// The answer to a request, or to an invalid message.
  var json: JSONValue {
    let error = JSONValue.object(of: ["code": code, "message": message, "data": data])
    return ["jsonrpc": "2.0", "id": id, "error": error]
  }
}

/// Divides input into lines of a bounded length.
struct MCPLines {
  /// The maximum length of a line, in bytes.
  static let maxLength = 1 << 20
  static let limitText = "1 MiB"

  private var line: [UInt8] = []
  private var isTooLong = false

  /// Adds input and returns the lines that it completes; `nil` for one that is too long.
  mutating func add(_ bytes: some Sequence<UInt8>) -> [[UInt8]?] {
    var lines: [[UInt8]?] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(end())
      } else if line.count < Self.maxLength {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }

  /// Returns the line so far, which the end of the input ends.
  mutating func end() -> [UInt8]? {
    defer { (line, isTooLong) = ([], false) }
    return isTooLong ? nil : line
  }
}
