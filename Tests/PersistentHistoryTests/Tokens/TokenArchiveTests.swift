import Foundation
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct TokenArchiveTests {
  private static func bytes(_ base64: String) -> [UInt8] {
    Array(Data(base64Encoded: base64.filter { !$0.isWhitespace }) ?? Data())
  }

  @Test
  func `a binary archive is read`() throws {
    let token = try HistoryToken(archive: Self.bytes(TokenArchive.binary))
    #expect(token.storeTokens == [TokenArchive.identifier: 57])
    let two = try HistoryToken(archive: Self.bytes(TokenArchive.binaryOfTwo))
    #expect(
      two.storeTokens == [
        TokenArchive.identifier: 57, "00000000-0000-0000-0000-00000000000A": Int64.max,
      ])
  }

  @Test
  func `an XML archive is read`() throws {
    #expect(
      try HistoryToken(archive: Array(TokenArchive.xml().utf8)).storeTokens == [
        TokenArchive.identifier: 57
      ])
  }

  @Test(arguments: [
    TokenArchive.xml(key: "NSPersistentHistoryTokenArray"), TokenArchive.xml(root: 99),
    TokenArchive.xml(root: 0), TokenArchive.xml(root: 3),
    TokenArchive.xml(dictionary: 1), TokenArchive.xml(dictionary: 0),
    TokenArchive.xml(dictionary: 99), TokenArchive.xml(dictionary: 3),
    TokenArchive.xml(number: "<integer>-1</integer>"),
    TokenArchive.xml(number: "<real>57</real>"),
    TokenArchive.xml(number: "<integer>9223372036854775808</integer>"),
    TokenArchive.xml(number: "<string>57</string>"),
    TokenArchive.xml(number: "<true/>"), TokenArchive.xml(number: "<string>$null</string>"),
    TokenArchive.xml(keys: ""),
    TokenArchive.xml(keys: "<dict><key>CF$UID</key><integer>2</integer></dict>"),
    TokenArchive.xml(keys: "<dict><key>CF$UID</key><integer>4294967295</integer></dict>"),
    TokenArchive.xml().replacingOccurrences(of: "NSKeyedArchiver", with: "NSArchiver"),
    String(TokenArchive.xml().dropLast(20)), "<plist>", "<", "bplist00", "",
  ])
  func `other archives and hostile ones are refused`(text: String) {
    #expect(throws: (any Error).self) { try HistoryToken(archive: Array(text.utf8)) }
  }

  @Test
  func `an archive without stores is refused`() throws {
    let none = TokenArchive.xml(keys: "").replacingOccurrences(
      of: "<array><dict><key>CF$UID</key><integer>4</integer></dict></array>", with: "<array/>")
    #expect(throws: TokenContentError(description: "it names no store")) {
      try HistoryToken(archive: Array(none.utf8))
    }
  }

  @Test
  func `an archive with flipped or missing bytes is read or refused`() {
    let archive = Self.bytes(TokenArchive.binaryOfTwo)
    #expect(archive.count == 511)
    var generator = SeededGenerator(seed: 57)
    for _ in 0..<4000 {
      var bytes = archive
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
      }
      if let token = try? HistoryToken(archive: bytes) {
        #expect(token.storeTokens.values.allSatisfy { $0 >= 0 } && !token.storeTokens.isEmpty)
      }
    }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `plistlib reads written archives`() async throws {
    let program = """
      import plistlib, sys
      list = plistlib.loads(sys.stdin.buffer.read())
      assert list["$archiver"] == "NSKeyedArchiver" and list["$version"] == 100000
      objects = list["$objects"]
      def at(value): return objects[value["CF$UID"] if isinstance(value, dict) else value.data]
      assert objects[0] == "$null"
      root = at(list["$top"]["root"])
      print(at(root["$class"])["$classname"], *at(root["$class"])["$classes"])
      tokens = at(root["NSPersistentHistoryTokenDictionary"])
      print(*at(tokens["$class"])["$classes"])
      for key, value in zip(tokens["NS.keys"], tokens["NS.objects"]): print(at(key), at(value))
      """
    let token = HistoryToken(storeTokens: [
      TokenArchive.identifier: 57, "00000000-0000-0000-0000-00000000000A": .max,
    ])
    let archive = try token.archivedPropertyList()
    let python = try #require(Tool("python3"))
    let result = try await python.run(
      ["-c", program], input: String(decoding: archive, as: UTF8.self))
    #expect(
      result.lines == [
        "_NSPersistentHistoryToken _NSPersistentHistoryToken NSPersistentHistoryToken NSObject",
        "NSDictionary NSObject", "00000000-0000-0000-0000-00000000000A 9223372036854775807",
        "\(TokenArchive.identifier) 57",
      ], "\(result.errors)")
    #expect(try HistoryToken(archive: archive) == token)
  }
}

/// Archives of tokens, in the shape that NSKeyedArchiver gives them.
enum TokenArchive {
  /// The store that they name.
  static let identifier = "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"

  /// Written by python3's plistlib in the shape of NSKeyedArchiver.
  static let binary = """
    YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcmNoaXZlctEICVRy
    b290gAGnCwwRGRobIVUkbnVsbNINDg8QViRjbGFzc18QIk5TUGVyc2lzdGVudEhpc3RvcnlUb2tlbkRpY3Rpb25hcnmABoAC0w0SExQV
    F1dOUy5rZXlzWk5TLm9iamVjdHOABaEWgAOhGIAEXxAkMUQwNzBFNkQtOEY0Qi00RTNBLTlDNjEtMEE1QjdDOUQyRTNGEDnSHB0eH1gk
    Y2xhc3Nlc1okY2xhc3NuYW1loh8gXE5TRGljdGlvbmFyeVhOU09iamVjdNIcHSIjoyMkIF8QGV9OU1BlcnNpc3RlbnRIaXN0b3J5VG9r
    ZW5fEBhOU1BlcnNpc3RlbnRIaXN0b3J5VG9rZW4ACAARABoAJAApADIANwBJAEwAUQBTAFsAYQBmAG0AkgCUAJYAnQClALAAsgC0ALYA
    uAC6AOEA4wDoAPEA/AD/AQwBFQEaAR4BOgAAAAAAAAIBAAAAAAAAACUAAAAAAAAAAAAAAAAAAAFV
    """
  /// The same with a second store, at the highest number there is.
  static let binaryOfTwo = """
    YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcmNoaXZlctEICVRy
    b290gAGpCwwRGxwdHh8lVSRudWxs0g0ODxBWJGNsYXNzXxAiTlNQZXJzaXN0ZW50SGlzdG9yeVRva2VuRGljdGlvbmFyeYAIgALTDRIT
    FBUYV05TLmtleXNaTlMub2JqZWN0c4AHohYXgAOABaIZGoAEgAZfECQxRDA3MEU2RC04RjRCLTRFM0EtOUM2MS0wQTVCN0M5RDJFM0YQ
    OV8QJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwQRN//////////9IgISIjWCRjbGFzc2VzWiRjbGFzc25hbWWiIyRc
    TlNEaWN0aW9uYXJ5WE5TT2JqZWN00iAhJiejJygkXxAZX05TUGVyc2lzdGVudEhpc3RvcnlUb2tlbl8QGE5TUGVyc2lzdGVudEhpc3Rv
    cnlUb2tlbgAIABEAGgAkACkAMgA3AEkATABRAFMAXQBjAGgAbwCUAJYAmACfAKcAsgC0ALcAuQC7AL4AwADCAOkA6wESARsBIAEpATQB
    NwFEAU0BUgFWAXIAAAAAAAACAQAAAAAAAAApAAAAAAAAAAAAAAAAAAABjQ==
    """

  /// The same as an XML property list; numbers, class and content are the caller's.
  static func xml(
    number: String = "<integer>57</integer>", store: String = identifier,
    key: String = "NSPersistentHistoryTokenDictionary", root: Int = 1, dictionary: Int = 2,
    keys: String = "<dict><key>CF$UID</key><integer>3</integer></dict>"
  ) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>
    <key>$archiver</key><string>NSKeyedArchiver</string>
    <key>$objects</key><array>
    <string>$null</string>
    <dict>
      <key>$class</key><dict><key>CF$UID</key><integer>6</integer></dict>
      <key>\(key)</key><dict><key>CF$UID</key><integer>\(dictionary)</integer></dict>
    </dict>
    <dict>
      <key>$class</key><dict><key>CF$UID</key><integer>5</integer></dict>
      <key>NS.keys</key><array>\(keys)</array>
      <key>NS.objects</key><array><dict><key>CF$UID</key><integer>4</integer></dict></array>
    </dict>
    <string>\(store)</string>
    \(number)
    <dict>
      <key>$classes</key><array><string>NSDictionary</string><string>NSObject</string></array>
      <key>$classname</key><string>NSDictionary</string>
    </dict>
    <dict>
      <key>$classes</key><array><string>_NSPersistentHistoryToken</string>
      <string>NSPersistentHistoryToken</string><string>NSObject</string></array>
      <key>$classname</key><string>_NSPersistentHistoryToken</string>
    </dict>
    </array>
    <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>\(root)</integer></dict></dict>
    <key>$version</key><integer>100000</integer>
    </dict></plist>
    """
  }
}
