#if os(Linux)
import Foundation
import StoreFormat
import TestSupport
import Testing

/// After a loss of power, at whatever moment and with whatever part of what the disk had not been asked to keep, nothing
/// is missing of what a command had said to be done, and the next run does the rest.
@Suite(.bounded, .needsOptimization, .serialized, .enabled(if: FaultInjector.isPossible))
struct PowerLossTests {
  private static let name = SampleFolder.name
  private static let all = Array(1...Int64(SampleStore.transactionCount))

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  private static func sample() throws -> [String: [UInt8]] {
    let folder = try SampleFolder()
    return try withExtendedLifetime(folder) { [name: try FileBytes.read(folder.store)] }
  }

  // MARK: - Copies

  private static let copy = "copy.store"
  private static let value = "_EXTERNAL_DATA/8A2B7C1E"

  private static func isOfCopy(_ path: String) -> Bool {
    path == copy || path.hasPrefix(".copy_SUPPORT/") || path == copy + "-values.db"
  }

  private static func problems(
    ofCopyIn place: FaultLoop.Folder, _ numbers: [Int64], beside: [String] = []
  ) throws -> [String] {
    let rows = try StoreRows(place, copy)
    let names = try place.files().keys
    return (rows.integrity == ["ok"] ? [] : rows.integrity)
      + (rows.numbers == numbers ? [] : ["in the copy is \(rows.numbers)"])
      + beside.filter { !names.contains($0) }.map { "\($0) is missing" }
  }

  /// A store with a large value, and perhaps with recorded values and with another store at the place of its copy.
  private static func trips(usesLog: Bool, replaces: Bool) throws -> [String: [UInt8]] {
    let trips = try RecordedTrips()
    var files: [String: [UInt8]] = [".Trips_SUPPORT/" + value: [1, 2, 3]]
    for (name, path) in [("Trips.store", trips.path), ("Trips.store-values.db", trips.valuesPath)] {
      let query = try StoreQuery(path: path)
      try query.run("PRAGMA wal_checkpoint(TRUNCATE)")
      if !usesLog { try query.run("PRAGMA journal_mode = DELETE") }
      files[name] = try FileBytes.read(path)
    }
    guard replaces else { return files }
    files[copy] = try sample()[name]
    files[".copy_SUPPORT/" + value] = [9]
    return files
  }

  @Test(arguments: [(true, false), (false, false), (true, true)])
  func `a rehearsal survives a power loss, in a new place and over a store`(
    _ usesLog: Bool, _ replaces: Bool
  ) async throws {
    let line = Self.words("rehearse Trips.store 3 -o copy.store --quiet")
    var loop = PowerLossLoop(
      files: try Self.trips(usesLog: usesLog, replaces: replaces),
      arguments: replaces ? line + ["--overwrite"] : line, again: line + ["--overwrite"],
      problemsInTheEnd: { place in
        try Self.problems(
          ofCopyIn: place, Array(3...6),
          beside: [".copy_SUPPORT/" + Self.value, Self.copy + "-values.db"])
      })
    loop.isOutput = Self.isOfCopy
    loop.keepsFormer = !replaces
    loop.problemsAfterLoss = { place, hasEnded in
      guard try place.files()[Self.copy] != nil else { return hasEnded ? ["there is no copy"] : [] }
      let rows = try StoreRows(place, Self.copy)
      return (rows.integrity == ["ok"] ? [] : rows.integrity)
        + (rows.numbers == Array(3...6) || !hasEnded && replaces && rows.numbers == Self.all
          ? [] : ["in the copy is \(rows.numbers)"])
    }
    try await loop.run()
  }

  @Test(arguments: [true, false])
  func `a copy has the journal mode of its store`(_ usesLog: Bool) async throws {
    let place = try FaultLoop.Folder(try Self.trips(usesLog: usesLog, replaces: false))
    for command in ["rehearse Trips.store 3", "scrub Trips.store --yes"] {
      let line = Self.words(command + " -o copy.store --overwrite --quiet")
      let result = try await Tool.histctl.run(line, folder: place.folder.path)
      #expect(result.status == 0, "\(result.errors)")
      let modes = try ["Trips.store", Self.copy].map { name in
        try place.files()[name].map { Array($0[18..<20]) }
      }
      #expect(modes[0] == [UInt8](repeating: usesLog ? 2 : 1, count: 2))
      #expect(modes[1] == modes[0], "\(command)")
    }
  }

  @Test(arguments: [true, false])
  func `a scrubbed copy and its key survive a power loss`(_ usesLog: Bool) async throws {
    let line = Self.words("scrub Trips.store -o copy.store --key key --yes --quiet")
    var loop = PowerLossLoop(
      files: try Self.trips(usesLog: usesLog, replaces: false), arguments: line,
      again: line + ["--overwrite"],
      problemsInTheEnd: { try Self.problems(ofCopyIn: $0, Array(1...6)) })
    loop.isOutput = { Self.isOfCopy($0) || $0 == "key" }
    try await loop.run()
  }

  @Test
  func `a snapshot survives a power loss`() async throws {
    let trips = try OpenTrips()
    for name in ["Roma", "Rom"] {
      try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text(name)]) }
    }
    let line = Self.words("snapshot Trips.store 2 -o copy.store --quiet")
    var loop = PowerLossLoop(
      files: [
        "Trips.store": try FileBytes.read(trips.path),
        "Trips.store-wal": try FileBytes.read(trips.path + "-wal"),
        ".Trips_SUPPORT/" + Self.value: [1, 2, 3],
      ], arguments: line, again: line + ["--overwrite"],
      problemsInTheEnd: {
        try Self.problems(ofCopyIn: $0, [1, 2], beside: [".copy_SUPPORT/" + Self.value])
      })
    loop.isOutput = Self.isOfCopy
    try await loop.run()
  }

  // MARK: - Other files

  @Test(arguments: [
    ("export sample.store -o out.jsonl.zst --quiet", "out.jsonl.zst"),
    ("export sample.store -o out.db --format sqlite --quiet", "out.db"),
    ("report sample.store -o out.html --quiet", "out.html"),
    ("demo . --ending 2026-11-20 --quiet", "trips.store"),
  ])
  func `exports, reports and demo stores survive a power loss`(
    _ line: String, _ output: String
  ) async throws {
    var loop = PowerLossLoop(
      files: try Self.sample(), arguments: Self.words(line),
      again: Self.words(line + " --overwrite"),
      problemsInTheEnd: { place in
        try place.files()[output]?.isEmpty == false ? [] : ["\(output) is missing"]
      })
    loop.count = 6
    loop.isOutput = { $0 == output }
    try await loop.run()
  }

  @Test(arguments: [0, 5], BookmarkFaultTests.forms)
  func `an export with a bookmark survives a power loss`(
    _ begun: Int, _ form: String
  ) async throws {
    let folder = try SampleFolder()
    // Four transactions in each month.
    try await folder.sqlite(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + (Z_PK - 1) / 4 * 31 * 86400")
    let options = "--output-dir logs --bookmark nightly --quiet " + form
    if begun > 0 {
      let first = try await folder.run("export sample.store \(options) --until \(begun)")
      #expect(first.status == 0, "\(first.errors)")
    }
    try await folder.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let files = try FaultLoop.Folder(folder: folder.folder).files().filter {
      !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("-wal")
    }
    let everything = Array(1...SampleStore.transactionCount)
    var loop = PowerLossLoop(
      files: files, arguments: Self.words("export sample.store \(options)"),
      problemsAfterLoss: { place, hasEnded in
        let exported = try BookmarkFaultTests.exported(place)
        let position = try BookmarkFaultTests.positions(place)["nightly"] ?? 0
        var problems: [String] = []
        if exported != Array(everything.prefix(exported.count)) || exported.count < begun {
          problems.append("exported: \(exported)")
        }
        if position > exported.count || position < begun {
          problems.append("bookmark at \(position)")
        }
        if hasEnded, exported != everything { problems.append("lost") }
        return problems
      },
      problemsInTheEnd: { place in
        let exported = try BookmarkFaultTests.exported(place)
        let position = try BookmarkFaultTests.positions(place)["nightly"]
        let isRight = exported == everything && position == everything.count
        return isRight ? [] : ["exported: \(exported), bookmark at \(position ?? -1)"]
      })
    loop.count = 8
    loop.isOutput = { $0.hasSuffix(".jsonl") || $0.hasSuffix(".sqlite") }
    try await loop.run()
  }

  @Test(arguments: [([:], 9), (["n": 3], 9), (["n": 3], nil)] as [([String: Int], Int?)])
  func `setting, moving and removing a bookmark survive a power loss`(
    _ present: [String: Int], _ number: Int?
  ) async throws {
    var files = try Self.sample()
    if !present.isEmpty {
      files[Self.name + "-bookmarks.json"] = BookmarkFaultTests.file(present)
    }
    let line =
      number.map { "bookmark set sample.store n \($0) --quiet" }
      ?? "bookmark remove sample.store n --quiet"
    try await PowerLossLoop(
      files: files, arguments: Self.words(line),
      // One that is removed already cannot be removed.
      again: number == nil ? Self.words("bookmark list sample.store --quiet") : nil, count: 8,
      // The next program that writes bookmarks removes it, and listing them does not.
      mayStay: number == nil ? [Self.name + "-bookmarks.json.partial-0"] : [],
      problemsAfterLoss: { place, hasEnded in
        let found = try BookmarkFaultTests.positions(place)["n"]
        return found == number || !hasEnded && found == present["n"]
          ? [] : ["at \(found ?? -1)"]
      },
      problemsInTheEnd: { _ in [] }
    ).run()
  }

  // MARK: - Archives

  @Test(
    .enabled(if: ArchivedLines.isPossible),
    arguments: [false, true])
  func `an archive survives a power loss`(_ hasArchive: Bool) async throws {
    try await archive(hasArchive, "archive sample.store arch --segment-size 64K --quiet", keeps: 1)
    {
      try ArchivedLines($0, "arch").lines.count == Self.all.count - 1 ? [] : ["not all is archived"]
    }
  }

  @Test(
    .enabled(if: ArchivedLines.isPossible),
    arguments: [false, true])
  func `pruning into an archive survives a power loss`(_ hasArchive: Bool) async throws {
    try await archive(
      hasArchive, "prune sample.store --keep-last 4 --archive arch --yes --quiet", keeps: 9
    ) {
      try StoreRows($0, Self.name).numbers == Array(9...12) ? [] : ["not all is deleted"]
    }
  }

  private func archive(
    _ hasArchive: Bool, _ line: String, keeps: Int64,
    _ problemsInTheEnd: @escaping @Sendable (FaultLoop.Folder) throws -> [String]
  ) async throws {
    let (files, lines) = try await ArchiveFaultTests.files(hasArchive: hasArchive)
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    let check: @Sendable (FaultLoop.Folder) throws -> [String] = {
      try ArchiveFaultTests.problems($0, lines, original, keeps: keeps)
    }
    var loop = PowerLossLoop(
      files: files, arguments: Self.words(line),
      problemsAfterLoss: { place, hasEnded in
        let archived = try ArchivedLines(place, "arch").lines.count
        return try check(place) + (hasEnded && archived < 8 ? ["\(archived) are archived"] : [])
      },
      problemsInTheEnd: { try check($0) + problemsInTheEnd($0) })
    loop.clockStep = 40
    try await loop.run()
  }

  @Test(.enabled(if: ArchivedLines.isPossible))
  func `forgetting survives a power loss`() async throws {
    let (files, lines) = try await ArchiveFaultTests.files(hasArchive: true)
    let check: @Sendable (FaultLoop.Folder) throws -> [String] = { place in
      let archived = try ArchivedLines(place, "arch")
      let isKept = archived.lines[3] == lines[3] && archived.lines[4] == lines[4]
      return archived.problems + (isKept ? [] : ["lost: \(archived.lines.keys.sorted())"])
    }
    try await PowerLossLoop(
      files: files, arguments: Self.words("forget arch --before 3 --yes --quiet"),
      problemsAfterLoss: { place, hasEnded in
        let numbers = try ArchivedLines(place, "arch").lines.keys.sorted()
        return try check(place) + (hasEnded && numbers != [3, 4] ? ["archived: \(numbers)"] : [])
      },
      problemsInTheEnd: check
    ).run()
  }

  // MARK: - History

  @Test
  func `a restore survives a power loss`() async throws {
    let folder = try SampleFolder()
    let original = try StoreRows(FaultLoop.Folder(try Self.sample()), Self.name)
    for line in [
      "archive sample.store arch --quiet", "prune sample.store --keep-last 3 --yes --quiet",
    ] {
      #expect(try await folder.run(line).status == 0)
    }
    try await folder.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let files = try FaultLoop.Folder(folder: folder.folder).files().filter {
      !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("-wal")
    }
    try await PowerLossLoop(
      files: files, arguments: Self.words("restore sample.store arch --yes --quiet"),
      clockStep: 40,
      problemsAfterLoss: { place, hasEnded in
        let rows = try StoreRows(place, Self.name)
        return rows.problems(asRestoredTo: original)
          + (hasEnded && rows.transactions != original.transactions ? ["lost"] : [])
      },
      problemsInTheEnd: { place in
        let rows = try StoreRows(place, Self.name)
        return rows.integrity == ["ok"] && rows.changes == original.changes
          && rows.transactions == original.transactions ? [] : ["\(rows.numbers)"]
      }
    ).run()
  }

  private static let recorded =
    "SELECT transaction_number || ' ' || name || ' ' || quote(old) || ' ' || quote(new) "
    + "FROM recorded_value ORDER BY 1"

  @Test(arguments: [false, true])
  func `recording values survives a power loss`(_ exists: Bool) async throws {
    let trips = try OpenTrips()
    func rename(_ name: String) throws {
      try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text(name)]) }
    }
    try rename("Roma")
    if exists {
      let line = Self.words("record Trips.store --once --quiet")
      #expect(try await Tool.histctl.run(line, folder: trips.folder.path).status == 0)
    }
    try rename("Rom")
    var files: [String: [UInt8]] = [:]
    for ending in ["", "-wal", "-values.db"] where ending != "-values.db" || exists {
      files["Trips.store" + ending] = try FileBytes.read(trips.path + ending)
    }
    let values = "Trips.store-values.db"
    let wanted = ["2 name 'Rome' 'Roma'", "3 name 'Roma' 'Rom'"]
    let check: @Sendable (FaultLoop.Folder, Bool) throws -> [String] = { place, hasEnded in
      guard try place.files()[values] != nil else { return hasEnded ? ["no values"] : [] }
      let query = try StoreQuery(path: place.folder.file(values))
      let rows = try query.lines(Self.recorded)
      let isRight = hasEnded ? rows == wanted : Set(wanted).isSuperset(of: rows)
      return try query.lines("PRAGMA integrity_check").filter { $0 != "ok" }
        + (isRight ? [] : ["\(rows)"])
    }
    var loop = PowerLossLoop(
      files: files, arguments: Self.words("record Trips.store --once --quiet"),
      problemsAfterLoss: check, problemsInTheEnd: { try check($0, true) })
    loop.mayStay = [values]
    try await loop.run()
  }

  @Test(arguments: [true, false])
  func `a prune survives a power loss`(_ usesLog: Bool) async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    shape.keepsLog = usesLog
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: 240, changesEach: 3, shape: shape)
    var files: [String: [UInt8]] = [:]
    for ending in ["", "-wal", "-journal"] {
      files["x.store" + ending] = try? FileBytes.read(store + ending)
    }
    // Each step of the work is then a batch of its own.
    try await PowerLossLoop(
      files: files, arguments: Self.words("prune x.store --keep-last 20 --yes --quiet"),
      clockStep: 40, count: 60,
      problemsInTheEnd: { place in
        let query = try StoreQuery(path: place.folder.file("x.store"))
        let found = try [
          "PRAGMA integrity_check", "SELECT count(*), min(Z_PK) FROM ATRANSACTION",
          "SELECT count(*) FROM ACHANGE",
        ].flatMap(query.lines)
        return found == ["ok", "20|221", "60"] ? [] : found
      }
    ).run()
  }
}
#endif
