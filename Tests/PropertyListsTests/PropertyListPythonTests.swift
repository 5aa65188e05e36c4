import TestSupport
import Testing

@testable import PropertyLists

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads what the writers wrote with Python's plistlib, where there is a Python.
@Suite(.bounded, .enabled(if: Python.isPresent))
struct PropertyListPythonTests {
  @Test
  func `plistlib reads the binary writer's lists and writes the same bytes`() throws {
    var writer = KeyedArchiveWriter()
    let names = (0..<400).map { writer.add(string: "näme \($0)") }
    let numbers = (0..<400).map { writer.add(plain: .integer($0 * 1_000 - 50_000)) }
    let root = writer.add(pairs: Array(zip(names, numbers)), as: .mutableDictionary)
    let archive = try writer.finish(top: ["root": root])
    for value in [PropertyListFixture.sample, archive] {
      let bytes = try BinaryPropertyListWriter.bytes(of: value)
      // plistlib takes every uid instance for an object of its own.
      let output = try Python.run(
        """
        import plistlib, sys
        uids = {}
        def shared(value):
            if isinstance(value, plistlib.UID): return uids.setdefault(value.data, value)
            if isinstance(value, list): return [shared(element) for element in value]
            if isinstance(value, dict): return {key: shared(value[key]) for key in value}
            return value
        value = shared(plistlib.loads(bytes.fromhex(sys.stdin.read())))
        print(plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=True).hex())
        """, input: bytes)
      #expect(PropertyListFixture.bytes(hex: output) == bytes)
    }
  }

  @Test
  func `plistlib reads the XML writer's lists and writes the same bytes`() throws {
    guard case .dictionary(var fields) = PropertyListFixture.sample else { return }
    fields["uid"] = nil
    fields["text"] = .string("a<b>&\"'\n\tc")
    fields["small"] = .real(1e-7)
    fields["nested"] = .dictionary(["deep": .array([.data(Array(0...99))])])
    let bytes = try XMLPropertyListWriter.bytes(of: .dictionary(fields))
    let output = try Python.run(
      """
      import plistlib, sys
      value = plistlib.loads(bytes.fromhex(sys.stdin.read()))
      print(plistlib.dumps(value, sort_keys=True).hex())
      """, input: bytes)
    #expect(PropertyListFixture.bytes(hex: output) == bytes)
  }
}

private enum Python {
  struct Failure: Error {}

  static let isPresent =
    system("python3 -c 'import plistlib; plistlib.UID' >/dev/null 2>&1") == 0

  /// The output of a script that gets the input as hexadecimal digits.
  static func run(_ script: String, input: [UInt8]) throws -> String {
    let script = try Self.file(holding: Array(script.utf8))
    defer { unlink(script) }
    let digits = Array("0123456789abcdef".utf8)
    let hex = input.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    let file = try Self.file(holding: hex)
    defer { unlink(file) }
    guard let pipe = popen("python3 \(script) < \(file)", "r") else { throw Failure() }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
      output += buffer[..<count]
    }
    guard pclose(pipe) == 0 else { throw Failure() }
    return String(decoding: output, as: UTF8.self)
  }

  private static func file(holding bytes: [UInt8]) throws -> String {
    var template = Array("/tmp/property-list-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Failure() }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure() }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
