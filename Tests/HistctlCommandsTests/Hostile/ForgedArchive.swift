import Foundation
import HistoryCoding
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// An archive of the sample store in which every digest and checksum is right, and something else is
/// not.
struct ForgedArchive: Sendable, CustomTestStringConvertible {
  /// A frame as it is to stand in the segment.
  struct Frame {
    var text: [UInt8]
    /// The packed bytes, where they are not simply the text packed.
    var bytes: [UInt8]?
    /// How many transactions the manifest says begin in it.
    var transactionCount: Int
    /// How much text the manifest says it has.
    var textByteCount: Int?
  }

  let testDescription: String
  /// What becomes of the frame's text.
  var frames: @Sendable (Frame) -> [Frame] = { [$0] }
  /// What becomes of the manifest's text.
  var manifest: @Sendable (String) -> String = { $0 }
  /// Further lines of the catalog: the first and the last transaction of segments with the same content.
  var copies: [ClosedRange<Int64>] = []

  /// Replaces a text in the lines.
  static func lines(_ name: String, _ old: String, _ new: String) -> ForgedArchive {
    lines(name) { Array(String(decoding: $0, as: UTF8.self).replacing(old, with: new).utf8) }
  }

  /// Makes other bytes of the lines.
  static func lines(
    _ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> ForgedArchive {
    ForgedArchive(
      testDescription: name,
      frames: { frame in
        var frame = frame
        frame.text = change(frame.text)
        return [frame]
      })
  }

  /// Replaces a text in the manifest.
  static func manifest(_ name: String, _ old: String, _ new: String) -> ForgedArchive {
    ForgedArchive(testDescription: name, manifest: { $0.replacing(old, with: new) })
  }

  /// Puts the forged archive in the place of a sound one of one segment.
  func forge(_ path: String) throws {
    let archive = try Archive(path: path)
    let entry = try #require(archive.catalog().entries.first)
    let sound = try archive.manifest(of: entry)
    let text = try archive.segment(entry).text(ofFrame: 0)
    let frames = frames(Frame(text: text, transactionCount: sound.frames[0].transactionCount))
    let context = try ZstdContext(.quick)
    var file: [UInt8] = []
    var listed: [SegmentFrame] = []
    for (index, frame) in frames.enumerated() {
      let packed = try frame.bytes ?? frame.text.withUnsafeBytes { try context.pack($0) }
      listed.append(
        SegmentFrame(
          transaction: sound.first.number,
          timestamp: index == 0 ? sound.first.timestamp : nil,
          latest: index == 0 ? sound.latest : nil, transactionCount: frame.transactionCount,
          offset: Int64(file.count), byteCount: packed.count,
          textByteCount: frame.textByteCount ?? frame.text.count))
      file += packed
    }
    file += SeekTable(listed).bytes
    let manifest = SegmentManifest(
      store: sound.store, first: sound.first, last: sound.last, after: sound.after,
      next: nil,
      earliest: sound.earliest, latest: sound.latest,
      transactionCount: listed.reduce(0) { $0 + Int64($1.transactionCount) },
      counts: sound.counts, textByteCount: listed.reduce(0) { $0 + Int64($1.textByteCount) },
      byteCount: Int64(file.count), digest: ArchiveDigest(of: file), frames: listed,
      schema: sound.schema)
    let bytes = Array(self.manifest(String(decoding: manifest.bytes, as: UTF8.self)).utf8)
    var catalog: [UInt8] = []
    var previous = ArchiveDigest.none
    for range in [entry.first...entry.last] + copies {
      let next = CatalogEntry(
        store: entry.store, first: range.lowerBound, last: range.upperBound, after: nil,
        manifestDigest: ArchiveDigest(of: bytes), previousDigest: previous)
      try FileBytes.write(file, to: archive.segmentPath(next))
      try FileBytes.write(bytes, to: archive.manifestPath(next))
      catalog += next.line
      previous = next.digest
    }
    try FileBytes.write(catalog, to: archive.catalogPath)
  }

  /// Texts that are replaced in the lines: what it is, the old one, the new one.
  private static let replacedLines: [(String, String, String)] = [
    ("a word behind a number", #""pk":1}"#, #""pk":1 oops}"#),
    ("a bracket too many", "]}\n", "]]}\n"),
    ("no end", "]}\n", "]\n"),
    ("an escape in a text", #""author":"app""#, "\"author\":\"a\u{1B}[2Jb\""),
    ("an escape, written as JSON has it", #""author":"app""#, #""author":"a\u001b[2Jb""#),
    ("a line end in a text", #""author":"app""#, "\"author\":\"a\nb\""),
    ("backwards", #""context":"import""#, "\"context\":\"a\u{202E}b\""),
    ("a key twice", #""pk":1}"#, #""pk":1,"pk":2}"#),
    ("an entity that leads somewhere", #""entity":"Trip""#, #""entity":"../../etc/passwd""#),
    ("an entity of escapes", #""entity":"Trip""#, #""entity":"a\u001b[2Jb\n""#),
    ("a number out of all ranges", #""transaction":5,"#, #""transaction":9223372036854775807,"#),
    ("one transaction many times", #""transaction":5,"#, #""transaction":4,"#),
    ("another store", #""store":"1D"#, #""store":"2D"#),
    ("a time that no calendar has", "743906860.0", "1e308"),
    ("a mask that does not fit", #""columnsRaw":""#, #""columnsRaw":"ffffffffffff"#),
  ]

  /// Texts that are replaced in the manifest.
  private static let replacedManifests: [(String, String, String)] = [
    ("another first number", #""first":{"transaction":1"#, #""first":{"transaction":7"#),
    (
      "a last number without end", #""last":{"transaction":8"#,
      #""last":{"transaction":9223372036854775807"#
    ),
    ("a next number without end", #""next":9"#, #""next":9223372036854775807"#),
    ("counts out of all ranges", #""inserts":2"#, #""inserts":9223372036854775807"#),
    ("sizes out of all ranges", #""textBytes":"#, #""textBytes":9"#),
    ("an entity of escapes in the manifest", #""entity":"Trip""#, #""entity":"a\u001b[2J\u202eb""#),
    ("one number for all", #""number":5"#, #""number":4"#),
    ("no slots", #""slots":["#, #""slots":null,"x":["#),
    ("a type of its own", #"["name",700]"#, #"["name",-9223372036854775808]"#),
    (
      "a schema of the future", #"{"schema":1,"type":"manifest""#,
      #"{"schema":2,"type":"manifest""#
    ),
  ]

  /// Texts without end.
  private static var endless: [ForgedArchive] {
    let digits = String(repeating: "9", count: 5000)
    let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let depth = String(repeating: "[", count: 50_000)
    let slots = Array(repeating: #"["a","attribute"]"#, count: 5000).joined(separator: ",")
    return [
      lines("numbers without end", #""pk":1}"#, "\"pk\":\(digits)}"),
      lines("members without end", #""pk":1}"#, "\"pk\":1,\"extra\":{\(members)}}"),
      lines("depth without end", #""pk":1}"#, "\"pk\":1,\"x\":\(depth)}"),
      manifest("slots without end", #""slots":["#, "\"slots\":[\(slots),"),
    ]
  }

  /// Bytes that are no lines.
  private static var noText: [ForgedArchive] {
    [
      lines("bytes that are no text") { text in
        text.map { $0 == UInt8(ascii: "w") ? 0xFF : $0 }
      },
      lines("nothing but brackets") { text in
        Array(repeating: UInt8(ascii: "["), count: text.count)
      },
      lines("nothing but zeros") { text in Array(repeating: 0, count: text.count) },
    ]
  }

  /// Frames that are not what they say, and lines over many of them.
  private static var oddFrames: [ForgedArchive] {
    @Sendable func line(_ start: String, _ piece: [UInt8]) -> [Frame] {
      [Frame(text: Array(start.utf8), transactionCount: 1)]
        + Array(repeating: Frame(text: piece, transactionCount: 0), count: 40)
    }
    return [
      ForgedArchive(
        testDescription: "a line of many frames that has no end",
        frames: { _ in
          line(
            #"{"schema":1,"type":"transaction","author":""#,
            [UInt8](repeating: UInt8(ascii: "x"), count: ArchiveFormat.frameLimit))
        }),
      ForgedArchive(
        testDescription: "a line of elements that has no end",
        frames: { _ in
          line(
            #"{"schema":1,"type":"transaction","extra":{"x":["#,
            Array(repeating: Array("1,".utf8), count: ArchiveFormat.frameLimit / 2).flatMap { $0 })
        }),
      ForgedArchive(
        testDescription: "a frame that unpacks to more than it says",
        frames: { frame in
          var frame = frame
          let bomb = [UInt8](repeating: 0, count: 100 << 20)
          frame.bytes = try? bomb.withUnsafeBytes { try ZstdContext(.quick).pack($0) }
          return [frame]
        }),
      ForgedArchive(
        testDescription: "a frame that says more than it has",
        frames: { frame in
          var frame = frame
          frame.textByteCount = ArchiveFormat.frameLimit
          return [frame]
        }),
    ]
  }

  static let all: [ForgedArchive] =
    replacedLines.map { lines($0.0, $0.1, $0.2) }
    + replacedManifests.map { manifest($0.0, $0.1, $0.2) } + endless + noText + oddFrames + [
      ForgedArchive(testDescription: "segments that overlap", copies: [2...5, 4...9, 1...3]),
      ForgedArchive(
        testDescription: "a segment of all numbers", copies: [1...Int64.max, 9...Int64.max]),
    ]
}
