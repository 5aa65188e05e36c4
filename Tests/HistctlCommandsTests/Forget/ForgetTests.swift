import Foundation
import HistoryOperations
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// `forget` as a person and a script meet it.
@Suite(.bounded) struct ForgetTests {
  /// A folder with the sample store, and an archive of it in segments.
  private struct Place {
    let sample: SampleFolder
    /// The lines of an export.
    let lines: [String]
    /// The head of the archive's chain.
    private(set) var head = ""

    /// - Parameter cuts: Before which transactions the runs of sealing ended.
    init(_ cuts: [Int]) async throws {
      sample = try SampleFolder()
      lines = try await sample.run("export sample.store").lines
      for cut in cuts {
        let result = try await sample.run("archive sample.store arch --before \(cut) --json")
        head = try #require(ForgetTests.object(result.lines[0])["head"] as? String)
      }
    }

    /// The names of the segments.
    var segments: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(
          atPath: sample.folder.file("arch/" + SampleFolder.identifier)
        ).sorted().filter { $0.hasSuffix(".zst") }
      }
    }

    /// What zstd makes of the segments, in their order.
    func unpacked() async throws -> [String] {
      let zstd = try #require(Tool("zstd"))
      let result = try await zstd.run(
        ["-dc"] + segments, folder: sample.folder.file("arch/" + SampleFolder.identifier))
      return result.lines
    }

    /// Expects an archive without findings whose chain goes on from the head that it had.
    func expectSound(_ comment: Comment? = nil) async throws {
      let result = try await sample.run("verify arch --full --anchor \(head)")
      #expect(result.status == 0, "\(comment ?? ""): \(result.text)\(result.errors)")
      let compared = try await sample.run("verify sample.store --archive arch")
      #expect(compared.status == 0, "\(comment ?? ""): \(compared.text)\(compared.errors)")
    }
  }

  private static func object(_ line: some StringProtocol) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test(.enabled(if: Tool("zstd") != nil))
  func `merged segments have exactly the same lines`() async throws {
    let place = try await Place([2, 3, 4, 5, 7, 8, 9, 12])
    #expect(try place.segments.count == 8)
    let before = try await place.unpacked()
    let dry = try await place.sample.run("forget arch --merge --dry-run")
    #expect(dry.text == "arch: would merge 7 segments into 1\n", "\(dry.errors)")
    let result = try await place.sample.run("forget arch --merge")
    #expect(
      result.text.replacing(#/[0-9.]+ K?i?B/#, with: "N B").replacing(#/[0-9a-f]{64}/#, with: "H")
        == "arch: merged 7 segments into 1; freed N B\nhead 9:H\n", "\(result.errors)")
    // One is too large for the next.
    #expect(try place.segments.count == 2)
    #expect(try await place.unpacked() == before && before == Array(place.lines.prefix(11)))
    try await place.expectSound()
    let again = try await place.sample.run("forget arch --merge")
    #expect(again.status == 0 && again.text == "" && again.errors == "")
    // Sealing goes on.
    #expect(try await place.sample.run("archive sample.store arch --before 2100-01-01").status == 0)
    #expect(try await place.unpacked() == place.lines)
    try await place.expectSound()
  }

  @Test
  func `merged segments have at most the requested size`() async throws {
    let sample = try SampleFolder()
    try LongHistory.write(to: sample.folder.file("a.store"), transactions: 401, changesEach: 3)
    for cut in [101, 201, 301, 401] {
      _ = try await sample.run("archive a.store arch --before \(cut)")
    }
    let dry = try await sample.run("forget arch --merge --segment-size 100K --dry-run")
    #expect(dry.text == "arch: would merge 4 segments into 2\n", "\(dry.errors)")
    let result = try await sample.run("forget arch --merge --segment-size 100K")
    #expect(result.text.hasPrefix("arch: merged 4 segments into 2;"), "\(result.text)")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: sample.folder.file("arch/" + SampleFolder.identifier))
    #expect(names.filter { $0.hasSuffix(".zst") }.count == 2)
  }

  @Test(
    .enabled(if: Tool("zstd") != nil),
    arguments: [2, 3, 4, 8, 11])
  func `history before the cut is removed, even in the middle of a segment`(
    _ first: Int
  ) async throws {
    let place = try await Place([4, 9, 12])
    let dry = try await place.sample.run("forget arch --before \(first) --dry-run")
    let range = first == 2 ? "1 transaction, 1" : "\(first - 1) transactions, 1 to \(first - 1)"
    #expect(dry.text == "arch: would forget \(range) (before)\n", "\(dry.errors)")
    let result = try await place.sample.run("forget arch --before \(first) --yes --json")
    let json = try Self.object(result.lines[0])
    #expect(json["transactions"] as? Int == first - 1 && json["last"] as? Int == first - 1)
    #expect(try await place.unpacked() == Array(place.lines[(first - 1)..<11]))
    // Without --merge, segments stay apart.
    #expect(try place.segments.count == (first < 4 ? 3 : first < 9 ? 2 : 1))
    try await place.expectSound()
    // The store has it, and the archive alone does not.
    #expect(try await place.sample.run("token check sample.store \(first - 1)").status == 0)
    let token = try await place.sample.run("token check arch \(first - 1)")
    #expect(token.status == 1 && token.text.contains("expired"), "\(token.text)")
    #expect(token.errors.contains("\(first)"), "\(token.errors)")
    let log = try await place.sample.run("log arch --json")
    #expect(log.lines.count == 12 - first)
    let export = try await place.sample.run("export arch --after \(first - 1)")
    #expect(export.status == 4, "\(export.errors)")
  }

  @Test(.enabled(if: Tool("zstd") != nil))
  func `the remaining history can be restored`() async throws {
    let place = try await Place([4, 9, 12])
    let sample = place.sample
    #expect(try await sample.run("forget arch --before 6 --yes").status == 0)
    let refused = try await sample.run("prune sample.store --before 10 --archive arch --yes")
    #expect(refused.status == 6)
    #expect(
      refused.errors.contains(
        "arch has forgotten what was before transaction 6, and more was to be deleted"),
      "\(refused.errors)")
    let pruned = try await sample.run(
      "prune sample.store --before 10 --archive arch --ignore-guard archive --yes")
    #expect(pruned.status == 0, "\(pruned.errors)")
    let restored = try await sample.run("restore sample.store arch --yes")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(
      try await sample.run("export sample.store").lines
        == Array(place.lines.dropFirst(5)))
  }

  @Test
  func `the newest transaction stays, and sealing continues after it`() async throws {
    let place = try await Place([9])
    let result = try await place.sample.run("forget arch --keep-within 1d --yes")
    #expect(result.text.hasPrefix("arch: forgot 7 transactions, 1 to 7 (newest)"))
    #expect(try place.segments == ["000000000008-000000000008.jsonl.zst"])
    #expect(try await place.sample.run("archive sample.store arch").status == 0)
    let log = try await place.sample.run("log arch --json")
    #expect(log.lines.count == 4)
    try await place.expectSound()
  }

  @Test
  func `bookmarks keep unread history unless they are ignored`() async throws {
    let place = try await Place([4, 12])
    let sample = place.sample
    #expect(try await sample.run("bookmark set sample.store widget 3").status == 0)
    let file = "--bookmark-file sample.store-bookmarks.json"
    let held = try await sample.run("forget arch --before 8 --dry-run \(file) --json")
    let json = try Self.object(held.lines[0])
    #expect(json["last"] as? Int == 2 && json["decidedBy"] as? [String] == ["@widget"])
    let ignored = try await sample.run(
      "forget arch --before 8 --dry-run \(file) --ignore-guard @widget")
    #expect(ignored.text == "arch: would forget 7 transactions, 1 to 7 (before)\n")
    #expect(ignored.errors.contains("the bookmark @widget expires with this"))
    // An export of the archive keeps its bookmark beside it.
    let export = try await sample.run("export arch --until 4 --output-dir logs --bookmark nightly")
    #expect(export.status == 0, "\(export.errors)")
    let own = try await sample.run("forget arch --before 8 --yes")
    #expect(own.text.hasPrefix("arch: forgot 3 transactions, 1 to 3 (@nightly)"), "\(own.text)")
    let missing = try await sample.run("forget arch --before 8 --yes --bookmark-file none")
    #expect(missing.status == 9)
  }

  @Test
  func `a bookmark that changes after the plan keeps more and never less`() async throws {
    for isSet in [true, false] {
      let place = try await Place([4, 12])
      let folder = place.sample.folder
      func export() async throws {
        let result = try await place.sample.run(
          "export arch --until 4 --output-dir logs --bookmark nightly")
        #expect(result.status == 0, "\(result.errors)")
      }
      if !isSet { try await export() }
      var request = ForgetRequest(archivePath: folder.file("arch"))
      request.rules = [.beforeTransaction(8)]
      let operation = ForgetOperation(request, now: .now())
      let plans = try operation.plans()
      #expect(plans.map(\.forgotten) == [isSet ? 1...7 : 1...3])
      if isSet { try await export() } else { try folder.remove("arch-bookmarks.json") }
      var forgotten: [ClosedRange<Int64>?] = []
      try operation.run(plans) { forgotten.append($0.forgotten) }
      #expect(forgotten == [1...3])
    }
  }

  @Test
  func `a bookmark that is set while segments are written keeps what its consumer needs`()
    async throws
  {
    let place = try await Place([4, 12])
    let folder = place.sample.folder
    let bookmarks = folder.file("arch-bookmarks.json")
    let first = Bookmark(
      name: "nightly",
      token: HistoryToken(storeIdentifier: SampleFolder.identifier, transaction: 8), timestamp: nil)
    let second = Bookmark(
      name: "late",
      token: HistoryToken(storeIdentifier: SampleFolder.identifier, transaction: 2), timestamp: nil)
    try BookmarkFile.set(first, in: bookmarks)
    var request = ForgetRequest(archivePath: folder.file("arch"))
    request.rules = [.beforeTransaction(8)]
    // One that is named twice is locked once.
    request.bookmarkPaths = [bookmarks]
    let operation = ForgetOperation(request, now: .now())
    let plans = try operation.plans()
    #expect(plans.map(\.forgotten) == [1...7])
    let written = folder.file("arch/\(SampleFolder.identifier)/000000000008-000000000011.jsonl.zst")
    nonisolated(unsafe) var forgotten: [ClosedRange<Int64>?] = []
    let ended = DispatchSemaphore(value: 0)
    try BookmarkFile.set(second, in: bookmarks) {
      // The lock is held; the operation waits for it with everything written.
      Thread.detachNewThread {
        try? operation.run(plans) { forgotten.append($0.forgotten) }
        ended.signal()
      }
      let end = ContinuousClock.now + .seconds(600)
      while !FileManager.default.fileExists(atPath: written), .now < end { usleep(1000) }
      #expect(
        FileManager.default.fileExists(atPath: written), "no segment was written in 600 seconds")
      usleep(50_000)
      #expect(forgotten.isEmpty)
    }
    #expect(ended.wait(timeout: .now() + 600) == .success, "the operation has not ended")
    #expect(forgotten == [1...1])
    try await place.expectSound()
  }

  @Test
  func `unreadable bookmarks stop only a run that forgets`() async throws {
    let place = try await Place([2, 3, 4])
    try FileBytes.write([0x7B], to: place.sample.folder.file("arch-bookmarks.json"))
    for (options, status) in [
      ("--before 3 -n", 9), ("--before 3 -n --ignore-guard bookmarks", 0), ("--merge", 0),
    ] as [(String, Int)] {
      let result = try await place.sample.run("forget arch " + options)
      #expect(result.status == status, "\(options): \(result.errors)")
    }
  }

  @Test
  func `the freed size is the decrease of the files`()
    async throws
  {
    let place = try await Place([4, 9])
    func size() throws -> Int {
      let folder = place.sample.folder.file("arch/" + SampleFolder.identifier)
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .reduce(0) { try $0 + FileBytes.read(folder + "/" + $1).count }
    }
    let before = try size()
    let first = try await place.sample.run("forget arch --before 1 --yes")
    #expect(first.status == 0 && first.text == "", "\(first.text)\(first.errors)")
    #expect(try size() == before)
    let result = try await place.sample.run("forget arch --before 6 --yes --json")
    #expect(try Self.object(result.lines[0])["freedBytes"] as? Int == before - size())
  }

  @Test
  func `a dry run and a question that cannot be asked change nothing`() async throws {
    let place = try await Place([4, 9])
    func files() throws -> [String: [UInt8]] {
      var files: [String: [UInt8]] = [:]
      let folder = place.sample.folder
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        files[name] = try? FileBytes.read(folder.file(name))
      }
      return files
    }
    let before = try files()
    #expect(try await place.sample.run("forget arch --before 6 --merge -n").status == 0)
    let unasked = try await place.sample.run("forget arch --before 6")
    #expect(unasked.status == 64 && unasked.errors.contains("cannot ask for confirmation"))
    #expect(try await place.sample.run("forget sample.store --before 6 --yes").status == 8)
    #expect(try await place.sample.run("forget arch --before 99 --yes").status == 4)
    #expect(try await place.sample.run("forget arch").status == 64)
    #expect(try await place.sample.run("forget arch --before 6 --segment-size 1M").status == 64)
    #expect(try await place.sample.run("forget none --merge").status == 8)
    #expect(try files() == before)
  }

  @Test
  func `the catalog marks lines that older versions must refuse`() async throws {
    let place = try await Place([2, 3, 9])
    #expect(try await place.sample.run("forget arch --merge --before 3 --yes").status == 0)
    let catalog = String(
      decoding: try FileBytes.read(place.sample.folder.file("arch/catalog.jsonl")), as: UTF8.self)
    let lines = try catalog.split(separator: "\n").map { try Self.object($0) }
    #expect(lines.map { $0["type"] as? String } == ["segment", "segment", "segment", "forget"])
    #expect(lines.map { $0["schema"] as? Int } == [1, 1, 1, 2])
    // It says where the history begins now, and its segment is the third, as it was.
    #expect(lines[3]["first"] as? Int == 3 && lines[3]["last"] as? Int == 8)
    #expect(lines[3]["manifestSHA256"] as? String == lines[2]["manifestSHA256"] as? String)
  }

  @Test
  func `maintain forgets in the archive in which it seals`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(
      Array(
        """
        [trips]
        store = sample.store
        prune.keep-last = 4
        prune.archive = arch
        forget.keep-last = 3
        forget.merge = yes

        """.utf8), to: sample.folder.file("m.conf"))
    #expect(try await sample.run("archive sample.store arch --before 5 --quiet").status == 0)
    let result = try await sample.run("maintain --config m.conf --json")
    let json = try Self.object(result.lines[0])
    let forgotten = try #require(json["forget"] as? [String: Any], "\(result.text)\(result.errors)")
    #expect(forgotten["first"] as? Int == 1 && forgotten["last"] as? Int == 6)
    #expect(try await sample.run("verify arch --full").status == 0)
    #expect(try await sample.run("verify sample.store --archive arch").status == 0)
    let again = try await sample.run("maintain --config m.conf --json")
    #expect(try Self.object(again.lines[0])["changed"] as? Bool == false, "\(again.text)")
    let check = try await sample.run("maintain --config m.conf --check-config")
    #expect(check.text.contains("forget"), "\(check.text)")
  }
}
