import HistoryCoding
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Compares with Python's `json`, which shares no code with this; left out where it is missing.
@Suite(.bounded, .enabled(if: PythonOneLiner.exists))
struct JSONPythonTests {
  @Test
  func `JSON from Python is read`() throws {
    let program = """
      import json, random, struct; random.seed(9); \
      reals = [struct.unpack("<d", random.randbytes(8))[0] for _ in range(2000)]; \
      reals = [r for r in reals if r == r and abs(r) != float("inf")]; \
      codes = [chr(c) for c in range(0x800)] + [chr(c) for c in range(0x1F600, 0x1F640)]; \
      print(json.dumps([[r, r.hex()] for r in reals])); \
      print(json.dumps(codes)); \
      print(json.dumps(codes, ensure_ascii=False)); \
      print(json.dumps([2**63-1, -2**63, 2**63, 10**30]))
      """
    let lines = try #require(PythonOneLiner.run(program)).split(separator: "\n")
    try #require(lines.count == 4)
    guard case .array(let pairs) = try JSONReader().read(String(lines[0])) else {
      Issue.record("no array")
      return
    }
    #expect(pairs.count > 1900)
    for case .array(let pair) in pairs {
      guard pair.count == 2, case .string(let hexadecimal) = pair[1] else {
        Issue.record("no pair: \(pair)")
        continue
      }
      #expect(pair[0] == Double(hexadecimal).map(JSONValue.real))
    }
    let codes = (Array(0..<0x800) + Array(0x1F600..<0x1F640)).compactMap {
      Unicode.Scalar(UInt32($0)).map { JSONValue.string(String(Character($0))) }
    }
    #expect(try JSONReader().read(String(lines[1])) == .array(codes))
    #expect(try JSONReader().read(String(lines[2])) == .array(codes))
    #expect(
      try JSONReader().read(String(lines[3])) == [.integer(.max), .integer(.min), 0x1p63, 1e30])
  }

  @Test
  func `Python reads written JSON`() throws {
    var generator = SeededGenerator(seed: 41)
    var writer = JSONWriter()
    var sum: UInt64 = 0
    writer.appendRaw("{\"reals\":[")
    for position in 0..<500 {
      var value = Double(bitPattern: generator.next() & 0xFFEF_FFFF_FFFF_FFFF)
      if position % 2 == 0 { value = (Double(position) * 1_000_003.25).rounded() / 1_000_000 }
      sum ^= value.bitPattern
      if position > 0 { writer.appendRaw(",") }
      writer.appendReal(value)
    }
    writer.appendRaw("],\"bytes\":")
    writer.appendBase64(Array(0...255))
    writer.appendRaw(",\"hex\":")
    writer.appendHexadecimal(Array(0...255))
    writer.appendRaw(",\"text\":")
    writer.appendString(
      String(String.UnicodeScalarView((0..<0x250).compactMap(Unicode.Scalar.init))))
    writer.appendRaw("}")
    let hexadecimal = writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let program = """
      import json, struct, base64, functools; \
      value = json.loads(bytes.fromhex("\(hexadecimal)").decode()); \
      bits = [struct.unpack("<Q", struct.pack("<d", r))[0] for r in value["reals"]]; \
      print(functools.reduce(lambda a, b: a ^ b, bits)); \
      print(base64.b64decode(value["bytes"]) == bytes(range(256))); \
      print(value["hex"] == bytes(range(256)).hex()); \
      print(value["text"] == "".join(map(chr, range(0x250))))
      """
    #expect(PythonOneLiner.run(program) == "\(sum)\nTrue\nTrue\nTrue\n")
  }
}

/// Runs Python from the path.
private enum PythonOneLiner {
  /// Whether there is a Python that works.
  static let exists = run("import json; print(json.dumps(1))") == "1\n"

  /// Runs a program of one line without single quotes, and answers what it prints; nil where it
  /// fails.
  static func run(_ program: String) -> String? {
    guard let pipe = popen("python3 -c '\(program)' 2>/dev/null", "r") else { return nil }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let length = fread(&chunk, 1, chunk.count, pipe)
      if length == 0 { break }
      output += chunk[..<length]
    }
    guard pclose(pipe) == 0 else { return nil }
    return String(decoding: output, as: UTF8.self)
  }
}
