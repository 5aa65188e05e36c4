import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Files that an earlier version wrote. They are committed, and must stay readable.
@Suite(.bounded) struct EarlierFilesTests {
  private static let folder =
    "\(#filePath)".replacing("/Reading/EarlierFilesTests.swift", with: "")
    + "/Fixtures"

  /// Reads a timeline and returns its lines.
  private static func lines(_ archive: any ArchivedHistory) throws -> [String] {
    let timeline = HistoryTimeline(archive)
    let schema = try timeline.schema()
    let reader = try TimelineReader(timeline, query: HistoryQuery(), schema: schema)
    var encoder = TransactionLineEncoder()
    while case .transaction(let transaction)? = try reader.nextElement() {
      try encoder.append(transaction, of: reader, byteLimit: .max) { _ in }
    }
    return String(decoding: encoder.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The text of a compressed file.
  private static func text(_ name: String) throws -> [String] {
    let text = try ExportedText(path: folder + "/" + name)
    var bytes: [UInt8] = []
    while let piece = try text.next() { bytes += piece }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test
  func `archives and exports of earlier versions are read back to the same lines`() throws {
    let exported = try Self.text("history.jsonl.zst")
    #expect(exported.count == 302)
    #expect(try Self.text("history.jsonl.gz") == exported)
    for name in ["history.jsonl.zst", "history.jsonl.gz"] {
      let history = try ExportedHistory(path: Self.folder + "/" + name)
      #expect(try Self.lines(history) == exported)
    }
    let archive = try ArchiveReader(path: Self.folder + "/sealed")
    #expect(archive.store.entries.count == 2)
    #expect(try Self.lines(archive) == Array(exported.dropLast(4)))
  }

  @Test
  func `archives of earlier versions are verified`() throws {
    var options = ArchiveVerification.Options()
    options.decodesLines = true
    options.anchor = try ArchiveAnchor(
      "2:74d96c3b99436acecdb28e765301b9ee9e6d8e3b52f672c2f57d3e2140e4f0b1")
    let verification = try ArchiveVerification(path: Self.folder + "/sealed", options: options)
    #expect(verification.counts == [:])
    #expect(verification.facts.transactionCount == 298)
  }
}
