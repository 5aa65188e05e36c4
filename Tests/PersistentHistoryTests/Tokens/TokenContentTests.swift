import Foundation
import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

/// Tokens as apps keep them, made by Python: its `plistlib` writes property lists and archives.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("python3") != nil))
struct TokenContentTests {
  /// Writes files, of which each holds the token 7 of the sample store.
  private static let script = """
    import base64, datetime, json, plistlib, sys
    store, uid = sys.argv[1], plistlib.UID
    archive = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": uid(1)},
      "$objects": ["$null", {"NSPersistentHistoryTokenDictionary": uid(2), "$class": uid(6)},
        {"NS.keys": [uid(3)], "NS.objects": [uid(4)], "$class": uid(5)}, store, 7,
        {"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]},
        {"$classname": "_NSPersistentHistoryToken",
         "$classes": ["_NSPersistentHistoryToken", "NSPersistentHistoryToken", "NSObject"]}]}
    def plain(value):
      if isinstance(value, uid): return {"CF$UID": value.data}
      if isinstance(value, dict): return {key: plain(inner) for key, inner in value.items()}
      return [plain(inner) for inner in value] if isinstance(value, list) else value
    binary = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
    xml = plistlib.dumps(plain(archive))
    token = {"storeTokens": {store: 7}}
    text = json.dumps(token)
    files = {"binary": binary, "xml": xml, "json": text.encode(),
      "pretty": json.dumps(token, indent=2).encode(), "binary64": base64.b64encode(binary),
      "lines64": base64.encodebytes(binary), "xml64": base64.b64encode(xml),
      "url64": base64.urlsafe_b64encode(binary).rstrip(b"="),
      "hex": binary.hex().encode(), "HEX": binary.hex().upper().encode(),
      "debugger": ("<" + binary.hex(" ", 4) + ">").encode(),
      "length": ("{length = %d, bytes = 0x%s }" % (len(binary), binary.hex(" ", 4))).encode(),
      "sqlite": ("X'" + binary.hex().upper() + "'").encode(), "hexJSON": text.encode().hex().encode(),
      "dump": "\\n".join(binary.hex()[i:i + 60] for i in range(0, 2 * len(binary), 60)).encode(),
      "json64": base64.b64encode(text.encode()), "quoted": json.dumps(text).encode(),
      "pretty64": base64.encodebytes(json.dumps(token, indent=2).encode()),
      "codable": plistlib.dumps(token, fmt=plistlib.FMT_BINARY), "a#b.json": text.encode()}
    preferences = {"token": binary, "com.example.trips.token": xml, "json": text.encode(),
      "text": text, "encoded": base64.b64encode(binary).decode(), "codable": token,
      "sync": {"last": {"at": [1, binary]}, "number": 7, "portable": store + ":7"},
      "state": json.dumps({"raw": base64.b64encode(binary).decode(), "token": token,
        "half": 0.5, "off": False, "none": None}).encode(),
      "date": datetime.datetime(2026, 11, 1), "flag": True, "list": [1, 2], "name": "Rome\\nOslo"}
    files["app.plist"] = plistlib.dumps(preferences, fmt=plistlib.FMT_BINARY)
    files["xml.plist"] = plistlib.dumps(preferences)
    files["app.json"] = json.dumps({"a": {"b": token}, "c": [token], "d.e": text}).encode()
    for name, content in files.items():
      with open(name, "wb") as file: file.write(content)
    """

  private let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    try SampleStore.write(to: folder.file("trips.store"))
    let python = try #require(Tool("python3"))
    let result = try await python.run(
      ["-c", Self.script, StoreWriter.identifier], folder: folder.path)
    try #require(result.status == 0, "\(result.errors)")
  }

  private func number(_ token: String) throws -> Int64? {
    try StoreFile(path: folder.file("trips.store")).read {
      try TokenResolver(snapshot: $0).resolve(token).number
    }
  }

  private func content(_ name: String) throws -> String {
    String(decoding: try FileBytes.read(folder.file(name)), as: UTF8.self)
  }

  @Test func `files hold tokens in every form`() throws {
    for name in [
      "binary", "xml", "json", "pretty", "binary64", "lines64", "url64", "xml64", "json64",
      "pretty64", "quoted", "codable", "a#b.json", "hex", "HEX", "debugger", "length", "sqlite",
      "hexJSON", "dump",
    ] {
      #expect(try number("@" + folder.file(name)) == 7, "\(name)")
    }
  }

  @Test func `pasted text in every form is a token`() throws {
    for name in [
      "xml", "json", "pretty", "binary64", "lines64", "url64", "xml64", "json64", "pretty64",
      "hex", "HEX", "debugger", "length", "sqlite", "hexJSON", "dump",
    ] {
      #expect(try number(content(name)) == 7, "\(name)")
      #expect(try number("\n  " + content(name) + " \n") == 7, "\(name)")
    }
  }

  @Test(arguments: ["app.plist", "xml.plist"]) func `a key selects the token in a property list`(
    _ file: String
  ) throws {
    for key in [
      "token", "com.example.trips.token", "json", "text", "encoded", "codable", "sync.last.at.1",
      "sync.number", "sync.portable", "state.raw", "state.token",
    ] {
      #expect(try number("@\(folder.file(file))#\(key)") == 7, "\(key)")
    }
    for key in ["a.b", "c.0", "d.e"] {
      #expect(try number("@\(folder.file("app.json"))#\(key)") == 7, "\(key)")
    }
  }

  @Test(arguments: [
    ("app.plist", "has the keys 'codable', 'com.example.trips.token', 'date'"),
    ("app.plist", "; a token is at 'codable', 'com.example.trips.token', 'encoded': write "),
    ("xml.plist", " and 6 more; expected {\"storeTokens\":{\"STORE\":NUMBER}}"),
    ("app.json", "it has the keys 'a', 'c', 'd.e'; expected"), ("app.json", "a token is at 'a.b'"),
    ("app.plist#tokn", "it has no value at 'tokn'; it has the keys 'codable'"),
    ("app.plist#token.x", "it has no value at 'token.x'"),
    ("app.plist#", "it has no value at ''"),
    ("app.plist#list.2", "it has no value at 'list.2'"),
    ("app.plist#list.-1", "it has no value at"),
    ("app.plist#date", "'date': it is a date; expected"),
    ("app.plist#flag", "the value at 'flag': it is a truth value; expected"),
    ("app.plist#list", "the value at 'list': it is a list; expected"),
    ("app.plist#state.half", "it is a number; expected"),
    ("app.plist#state.none", "it is nothing; expected"),
    ("app.plist#sync", "the value at 'sync': it has the keys 'last', 'number', 'portable'"),
    ("app.plist#name", "the value at 'name': it has more than one line"),
    ("trips.store#x", "neither text nor a property list"), ("missing#x", "there is no such file"),
    ("app.plist#\(String(repeating: "a.", count: 4000))", "it has no value at"),
  ]) func `errors describe the content`(_ file: String, _ words: String) throws {
    let error = try #require(throws: HistoryError.self) {
      try number("@" + folder.file(file))
    }
    guard case .unreadableToken(let path, let reason) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(reason.contains(words), "\(reason)")
    #expect(!path.contains("#") && error.remedy.contains("@./FILE#KEY"))
  }

  @Test func `damaged texts are refused`() throws {
    let encoded = try content("binary64")
    let digits = try content("hex")
    let cases: [(String, String)] = [
      (String(encoded.dropLast(9)), "damaged property list"), (encoded + "!", "Base64"),
      (String(encoded.prefix(41)), "Base64"), ("{", "its JSON is damaged; expected"),
      (#"{"a":1}"#, "it has the keys 'a'; expected"), ("{}", "it has no keys"),
      (#"{"storeTokens":{"X":-1}}"#, "the value for store 'X' is not a transaction number"),
      (#"{"storeTokens":{"X":1.5}}"#, "is not a transaction number"),
      (#"{"storeTokens":{"X":9223372036854775808}}"#, "is not a transaction number"),
      (#"{"storeTokens":{}}"#, "it names no store"), (#"{"storeTokens":7}"#, "expected"),
      ("<plist><dict/></plist>", "it has no keys"), ("<plist>", "damaged property list"),
      ("{length = 217, bytes = 0x62706c69 73743030 ... 000000b2 }", "plutil -extract KEY raw FILE"),
      ("{length = 9, bytes = 0x62706c6973743030}", "hexadecimal digits that is cut"),
      ("<62706c69 73743030", "hexadecimal digits that is cut"),
      (String(digits.dropLast()), "hexadecimal digits that is cut"),
      (String(digits.dropLast(8)), "damaged property list"),
      ("X'62706c69737430", "hexadecimal digits that is cut"),
      ("62706c69", "hexadecimal digits that is cut"),
      ("<62706c69 7374>", "hexadecimal digits that is cut"),
      ("{length = 4, bytes = 0xdeadbeef}", "neither text nor a property list"),
    ]
    for (text, words) in cases {
      let error = try #require(throws: HistoryError.self) { try number(text) }
      guard case .malformedToken(_, let reason, let hint) = error else {
        Issue.record("another error: \(error)")
        continue
      }
      #expect(reason.contains(words) && hint.contains("@./FILE#KEY"), "\(reason)")
    }
  }

  /// Neither memory nor the stack nor the message grows with what a file nests, wraps or repeats.
  @Test func `hostile content is refused`() throws {
    func refused(_ bytes: [UInt8], key: String? = nil) throws -> String {
      try #require(throws: TokenContentError.self) { try TokenContent(bytes, key: key) }.description
    }
    let deep = String(repeating: "[", count: 400_000)
    #expect(try refused(Array(deep.utf8)).contains("damaged"))
    let object = String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100)
    #expect(try refused(Array(object.utf8)).contains("damaged"))
    let lists = String(repeating: "<array>", count: 100_000)
    #expect(try refused(Array(("<plist>" + lists).utf8)).contains("nested too deeply"))
    var wrapped = Array(#"{"storeTokens":{"X":1}}"#.utf8)
    for _ in 0..<6 {
      wrapped = try JSONEncoder().encode(String(decoding: wrapped, as: UTF8.self)).map { $0 }
    }
    #expect(try refused(wrapped).contains("wrapped more than"))
    var named = Array(#"{"token":{"storeTokens":{"X":1}}}"#.utf8)
    for _ in 0..<6 {
      named = try JSONEncoder().encode(String(decoding: named, as: UTF8.self)).map { $0 }
    }
    #expect(try refused(named, key: "token").contains("no value"))
    let keys = (0..<50_000).map { "\"\u{202E}key\($0)\":[\($0)]" }.joined(separator: ",")
    let message = try refused(Array("{\(keys)}".utf8))
    #expect(message.count < 1000 && message.contains("and 49994 more"))
    #expect(!message.unicodeScalars.contains { $0 == "\u{202E}" })
    let dots = String(repeating: "a.", count: 2000)
    #expect(try refused(Array(#"{"a":{"a":{"a":1}}}"#.utf8), key: dots).count < 1000)
    let stores = (0..<50_000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
    guard case .token(let many) = try TokenContent(Array("{\"storeTokens\":{\(stores)}}".utf8))
    else {
      Issue.record("no token")
      return
    }
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot)
      let token = try resolver.resolve(many)
      #expect(try resolver.unusable(token).message.count < 1000)
    }
  }

  @Test func `preferences with changed bytes are read or refused`() throws {
    let original = try FileBytes.read(folder.file("app.plist"))
    var generator = SeededGenerator(seed: 20)
    for _ in 0..<1500 {
      var bytes = original
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      for key in [nil, "sync.last.at.1"] {
        do {
          _ = try TokenContent(bytes, key: key)
        } catch {
          let text = error.description
          #expect((1..<1000).contains(text.count), "\(text)")
          #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
      }
    }
  }
}
