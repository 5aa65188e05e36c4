#if os(Linux)
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends a rehearsal, the store is as it was, and under the copy's name stands what
/// was there before or the finished copy.
@Suite(.serialized, .enabled(if: FaultInjector.isPossible)) struct RehearseFaultTests {
  private static let name = "Trips.store"
  private static let copy = "copy.store"
  private static let value = "_EXTERNAL_DATA/8A2B7C1E"
  private static let oldest: Int64 = 40

  private static func store(_ transactions: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    return try FileBytes.read(
      LongHistory.write(to: folder.file(name), transactions: transactions, changesEach: 2))
  }

  @Test(arguments: [false, true]) func rehearse(_ overwrites: Bool) async throws {
    let original = try Self.store(60)
    let former = try Self.store(5)
    var files = [Self.name: original, ".Trips_SUPPORT/" + Self.value: [1, 2, 3]]
    if overwrites {
      files[Self.copy] = former
      files[".copy_SUPPORT/" + Self.value] = [9]
    }
    let formerRows = try StoreRows(FaultDrive.Place([Self.copy: former]), Self.copy)
    let line = ["rehearse", Self.name, "\(Self.oldest)", "-o", Self.copy, "--quiet"]
    let again = line + ["--overwrite"]
    let statuses = try await FaultDrive(
      files: files, arguments: overwrites ? again : line, again: again,
      problemsAfterFault: { place, status in
        let left = try place.files()
        var problems = left[Self.name] == original ? [] : ["the store has changed"]
        guard let copy = left[Self.copy] else {
          if status == 0 || overwrites { problems.append("there is no copy") }
          return problems
        }
        let rows = try StoreRows(FaultDrive.Place([Self.copy: copy]), Self.copy)
        if rows.integrity != ["ok"] { problems += rows.integrity }
        let isFormer = overwrites && rows.tables == formerRows.tables
        if isFormer ? status == 0 : rows.numbers != Array(Self.oldest...60) {
          problems.append("in the copy is \(rows.numbers)")
        }
        if !isFormer, left[".copy_SUPPORT/" + Self.value] != [1, 2, 3] {
          problems.append("the copy has no large values")
        }
        return problems
      },
      problemsInTheEnd: { place in
        let left = try place.files()
        let rows = try StoreRows(place, Self.copy)
        return (rows.integrity == ["ok"] ? [] : rows.integrity)
          + (rows.numbers == Array(Self.oldest...60) ? [] : ["\(rows.numbers)"])
          + (left[".copy_SUPPORT/" + Self.value] == [1, 2, 3] ? [] : ["no large values"])
          + (left[Self.name] == original ? [] : ["the store has changed"])
      }
    ).run()
    #expect(statuses.isSuperset(of: [9, 137]))
  }

  private struct Stop: Error {}

  /// The files of a store with recorded values and a large value, under another name.
  private static func trips(_ name: String, large: UInt8) throws -> [String: [UInt8]] {
    let trips = try RecordedTrips()
    var files = [".\(name)_SUPPORT/" + Self.value: [large]]
    for (file, path) in [("", trips.path), ("-values.db", trips.valuesPath)] {
      try StoreQuery(path: path).run("PRAGMA wal_checkpoint(TRUNCATE)")
      files["\(name).store" + file] = try FileBytes.read(path)
    }
    return files
  }

  private static let ofStore = "SELECT Z_UUID FROM Z_METADATA"
  private static let ofValues = "SELECT identifier FROM store"

  private static func identifier(
    _ files: [String: [UInt8]], _ name: String, _ sql: String
  ) throws -> [String] {
    let place = try FaultDrive.Place([name: files[name] ?? []])
    return try StoreQuery(path: place.folder.file(name)).lines(sql)
  }

  /// What belongs to a store stands beside that one and no other, at the latest when the next one is
  /// begun in its place.
  @Test(arguments: [false, true]) func companions(_ overwrites: Bool) async throws {
    let original = try Self.trips("Trips", large: 1)
    let former = try Self.trips("copy", large: 9)
    let formerIdentifier = try Self.identifier(former, Self.copy, Self.ofStore)
    let line = ["rehearse", Self.name, "3", "-o", Self.copy, "--quiet"]
    try await FaultDrive(
      files: overwrites ? original.merging(former) { $1 } : original,
      arguments: overwrites ? line + ["--overwrite"] : line, again: line + ["--overwrite"],
      problemsAfterFault: { place, status in
        // The next one, which comes to nothing itself.
        let path = place.folder.file(Self.copy)
        try? StoreDraft(path: path, overwrites: true).write { _ in throw Stop() }
        let left = try place.files()
        let beside = left.keys.filter { $0.contains("copy") && $0 != Self.copy }
          .filter { name in !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix) }.sorted()
        guard left[Self.copy] != nil else { return beside.isEmpty ? [] : ["alone: \(beside)"] }
        let names = [".copy_SUPPORT/" + Self.value, Self.copy + "-values.db"]
        // Values that cannot be read are told of, and the copy is made without them.
        if beside == [names[0]], status != 0, left[names[0]] == [1] { return [] }
        guard beside == names else { return ["beside it: \(beside)"] }
        let store = try Self.identifier(left, Self.copy, Self.ofStore)
        let values = try Self.identifier(left, names[1], Self.ofValues)
        let large = left[names[0]]
        return (store == values ? [] : ["the values are another store's"])
          + (large == [store == formerIdentifier ? 9 : 1] ? [] : ["the large value is another's"])
      },
      problemsInTheEnd: { place in
        let left = try place.files()
        let store = try Self.identifier(left, Self.copy, Self.ofStore)
        let values = try Self.identifier(left, Self.copy + "-values.db", Self.ofValues)
        return store == values && left[".copy_SUPPORT/" + Self.value] == [1] ? [] : ["not whole"]
      }
    ).run()
  }
}
#endif
