import Foundation
import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Archives of which every digest is right and something else is not: nothing that is written there is
/// believed.
@Suite(.bounded) struct ForgedArchiveTests {
  /// Writes a manifest and the catalog that names it.
  private static func forge(
    _ tiny: TinyArchive, _ manifest: (SegmentManifest) throws -> [UInt8]
  ) throws {
    let entry = tiny.entries[0]
    let bytes = try manifest(tiny.archive.manifest(of: entry))
    try FileBytes.write(bytes, to: tiny.archive.manifestPath(entry))
    let forged = CatalogEntry(
      store: entry.store, first: entry.first, last: entry.last, after: entry.after,
      manifestDigest: ArchiveDigest(of: bytes), previousDigest: .none)
    let next = tiny.entries[1]
    let second = CatalogEntry(
      store: next.store, first: next.first, last: next.last, after: next.after,
      manifestDigest: next.manifestDigest, previousDigest: forged.digest)
    try FileBytes.write(forged.line + second.line, to: tiny.archive.catalogPath)
  }

  private static func replacing(_ old: String, _ new: String) -> (SegmentManifest) -> [UInt8] {
    { Array(String(decoding: $0.bytes, as: UTF8.self).replacing(old, with: new).utf8) }
  }

  @Test(arguments: [
    (#""inserts":1"#, #""inserts":2"#), (#""updates":1"#, #""updates":0"#),
    (#""entity":"Tag","number":4,"inserts""#, #""entity":"Gat","number":4,"inserts""#),
    (#""number":4,"inserts""#, #""number":5,"inserts""#),
    (
      #""last":{"transaction":2,"timestamp":"2024-07-29T00:43:40.000000Z","timestampRaw":743906620.0"#,
      #""last":{"transaction":2,"timestamp":"2024-07-29T00:43:41.000000Z","timestampRaw":743906621.0"#
    ),
    (#""earliestRaw":743906560.0"#, #""earliestRaw":743906559.0"#),
    (#""latestRaw":743906620.0,"#, #""latestRaw":743906630.0,"#),
    (#""latestRaw":743906620.0,"transactions""#, #""latestRaw":743906621.0,"transactions""#),
    (
      #"{"transaction":1,"timestampRaw":743906560.0"#,
      #"{"transaction":1,"timestampRaw":743906561.0"#
    ),
    // The schema, of which no line shows these parts.
    (#""ZTIMESTAMP""#, #""ZTIMESTAMQ""#), (#""ZENTITYPK""#, #""ZENTITYPL""#),
    (#""Z_OPT","ZCHANGETYPE""#, #""Z_OPTS","ZCHANGETYPE""#),
    (#""ZAUTHORTS""#, #""ZAUTHORTX""#), (#""ZTOMBSTONE0""#, #""ZTOMBSTONE1""#),
    (#""ZTRANSACTIONID""#, #""ZCOLUMNS""#),
    (#""tombstone":[["label""#, #""tombstone":[["labem""#),
    (#""slots":[["label""#, #""slots":[["labem""#),
    // Written in another way, with the same meaning.
    (#""inserts":1"#, #""inserts": 1"#), ("\n\"first\"", "\n \"first\""),
    (#""schema":1,"#, #""schema":1,"more":2,"#),
  ])
  func `the manifest is compared with its segment`(_ old: String, _ new: String) throws {
    let tiny = try TinyArchive()
    let text = String(
      decoding: try tiny.archive.manifest(of: tiny.entries[0]).bytes, as: UTF8.self)
    try #require(text.contains(old), "\(text)")
    try Self.forge(tiny, Self.replacing(old, new))
    let found = try tiny.verify { $0.decodesLines = true }
    #expect(found.findings.count(of: .contradictedManifest) > 0, "\(found.counts)")
    var expected: Set<ArchiveFindingKind> = [.contradictedManifest, .damagedManifest]
    // An update names the attribute.
    if old.hasPrefix(#""slots""#) { expected.insert(.damagedLine) }
    #expect(Set(found.counts.keys).isSubset(of: expected))
  }

  @Test(arguments: [
    (#""kind":"insert""#, #""kind":"insert" "#),
    (#""change":1,"kind":"insert""#, #""kind":"insert","change":1"#),
    (#""pk":1}"#, #""pk":01}"#), (#""pk":1}"#, #""pk":-0}"#), (#""pk":1}"#, #""pk":1.0}"#),
    (#""pk":1}"#, #""pk":1,"new":2}"#), (#""entity":"Tag""#, #""entity":"T\u0061g""#),
    (#""columnsRaw":"80""#, #""columnsRaw":"8G""#),
    (#""attributes":["label"]"#, #""attributes":[]"#),
    (#""columnsRaw":"80""#, #""columnsRaw":"00""#),
    (#"00:42:40.000000Z"#, #"00:42:41.000000Z"#), (#"743906560.0"#, #"743906560.00"#),
    (#"743906560.0"#, #"743906560"#), (#""author":"app""#, #""author":"app","author":"app""#),
    (#""type":"transaction""#, #""type":"gap""#), (#""schema":1"#, #""schema":2"#),
    (#""store":"1D"#, #""store":"2D"#), (#"]}"#, #"],"partial":true}"#), (#"]}"#, #"]}}"#),
    (#"]}"#, #"]"#), (#""transaction":2,"#, #""transaction":3,"#),
    (#""transaction":2,"#, #""transaction":1,"#), (#"{"change":1,"#, #"{"change":1,,"#),
    (#""entity":"Tag""#, #""entity":"Nobody""#), (#""entity":"Tag""#, #""entity":{"a":"}"}"#),
    ("\n", "\r\n"), ("\n", "\n\n"), ("\n", ""), (#"{"schema""#, #" {"schema""#),
    (#""changes":["#, #""changes":[null,"#), (#""changes":["#, #""changes":{"#),
  ])
  func `lines that no encoder writes are findings, even with valid digests`(
    _ old: String, _ new: String
  ) throws {
    let tiny = try TinyArchive()
    let entry = tiny.entries[0]
    let manifest = try tiny.archive.manifest(of: entry)
    let reader = try tiny.archive.segment(entry)
    let text = String(decoding: try reader.text(ofFrame: 0), as: UTF8.self)
    try #require(text.contains(old), "\(text)")
    let forged = Array(text.replacing(old, with: new).utf8)
    // A segment and a manifest that fit this text.
    let frame = manifest.frames[0]
    let packed = try ZstdContext(.quick).pack(forged)
    let writer = try SegmentWriter(
      archive: tiny.archive, store: manifest.store, near: 1, permissions: .ownerReadWrite)
    try writer.write(
      PackedFrame(
        first: manifest.first, last: manifest.last,
        times: frame.timestamp.flatMap { first in frame.latest.map { first...$0 } },
        transactionCount: frame.transactionCount, tally: ChangeTally(),
        textByteCount: forged.count, bytes: packed))
    let finished = try #require(
      try writer.finish(
        store: manifest.store, after: manifest.after, counts: manifest.counts,
        schema: manifest.schema))
    try Self.forge(tiny) { _ in
      _ = try writer.commit(finished, in: tiny.archive)
      return finished.bytes
    }
    let found = try tiny.verify { $0.decodesLines = true }
    #expect(
      found.counts[.damagedLine] == 1 || found.counts[.contradictedManifest] != nil,
      "\(found.counts)")
    #expect(found.names(tiny.archive.segmentPath(entry)))
  }

  @Test
  func `values that are too large, too deep or too many are findings`() throws {
    let deep = String(repeating: "[", count: 100_000)
    let frames = #""frames":["#
    for text in [
      deep, "{}", "", "[]", "null", #"{"schema":1}"#, "\u{0}",
      #"{"schema":1,"store":"# + String(repeating: "9", count: 100_000) + "}",
    ] {
      let tiny = try TinyArchive()
      try Self.forge(tiny) { _ in Array(text.utf8) }
      #expect(try tiny.verify().counts == [.damagedManifest: 1], "\(text.prefix(20))")
    }
    for (old, new) in [
      (#""textBytes":"#, #""textBytes":999999999"#), (frames, frames + deep),
      (#""offset":0,"bytes":"#, #""offset":0,"bytes":99999999999"#),
      (#""transactions":2,"#, #""transactions":9223372036854775807,"#),
      (#""first":{"transaction":1"#, #""first":{"transaction":-9223372036854775808"#),
      (#""last":{"transaction":2"#, #""last":{"transaction":9223372036854775807"#),
      (#""inserts":1"#, #""inserts":9223372036854775807"#),
      // More transactions than numbers.
      (#""transactions":2"#, #""transactions":5"#),
    ] {
      let tiny = try TinyArchive()
      try Self.forge(tiny, Self.replacing(old, new))
      #expect(
        try tiny.verify { $0.decodesLines = true }.findings.damageCount > 0, "\(new.prefix(40))")
    }
    for number in ["9223372036854775807", "-1", "17592186044417"] {
      let tiny = try TinyArchive()
      try Self.forge(tiny, Self.replacing(#""inserts":1"#, #""inserts":"# + number))
      #expect(try tiny.verify().counts == [.damagedManifest: 1], "\(number)")
    }
    let tiny = try TinyArchive()
    for line in [
      #"{"schema":1,"type":"segment","store":"../../etc","first":1,"last":2}"#, deep,
      String(repeating: "x", count: 1 << 20),
    ] {
      try FileBytes.write(Array((line + "\n").utf8), to: tiny.archive.catalogPath)
      #expect(try tiny.verify().counts[.damagedCatalog] == 1)
    }
    let bomb = [UInt8](repeating: 0, count: 200 << 20)
    let entry = tiny.entries[0]
    try FileBytes.write(tiny.entries.flatMap(\.line), to: tiny.archive.catalogPath)
    try FileBytes.write(try ZstdContext(.quick).pack(bomb), to: tiny.archive.segmentPath(entry))
    #expect(try tiny.verify().counts == [.damagedSegment: 1])
  }
}

extension ZstdContext {
  fileprivate func pack(_ bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try pack($0) }
  }
}
