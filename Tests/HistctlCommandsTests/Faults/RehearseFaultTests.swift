#if os(Linux)
import Foundation
import StoreFormat
import StoreTransactions
import TestSupport
import Testing

/// Whatever fails or ends a rehearsal, the store is as it was, and under the copy's name stands what
/// was there before or the finished copy.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct RehearseFaultTests {
  private static let name = "Trips.store"
  private static let copy = "copy.store"
  private static let value = "_EXTERNAL_DATA/8A2B7C1E"
  private static let oldest: Int64 = 40

  private static func store(_ transactions: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    return try FileBytes.read(
      LongHistory.write(to: folder.file(name), transactions: transactions, changesEach: 2))
  }

  @Test(arguments: [false, true]) func `rehearse survives any failing or killing system call`(
    _ overwrites: Bool
  ) async throws {
    let original = try Self.store(60)
    let former = try Self.store(5)
    var files = [Self.name: original, ".Trips_SUPPORT/" + Self.value: [1, 2, 3]]
    if overwrites {
      files[Self.copy] = former
      files[".copy_SUPPORT/" + Self.value] = [9]
    }
    let formerRows = try StoreRows(FaultLoop.Folder([Self.copy: former]), Self.copy)
    let line = ["rehearse", Self.name, "\(Self.oldest)", "-o", Self.copy, "--quiet"]
    let again = line + ["--overwrite"]
    let statuses = try await FaultLoop(
      files: files, arguments: overwrites ? again : line, again: again,
      problemsAfterFault: { place, status in
        let left = try place.files()
        var problems = left[Self.name] == original ? [] : ["the store has changed"]
        guard let copy = left[Self.copy] else {
          let isLost = overwrites && !left.keys.contains { $0.hasSuffix("-former/" + Self.copy) }
          if status == 0 || isLost { problems.append("there is no copy") }
          return problems
        }
        let rows = try StoreRows(FaultLoop.Folder([Self.copy: copy]), Self.copy)
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
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
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
    let place = try FaultLoop.Folder([name: files[name] ?? []])
    return try StoreQuery(path: place.folder.file(name)).lines(sql)
  }

  /// Files of a store, with or without what belongs to it.
  enum Companions: String, CaseIterable {
    case everything, nothing
  }

  /// What stands beside the copy, in order.
  private static func beside(_ files: [String: [UInt8]]) -> [String] {
    files.keys.filter { $0.contains("copy") && $0 != copy && !$0.contains(".partial-") }
      .filter { name in !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix) }.sorted()
  }

  private static func files(
    _ name: String, large: UInt8, _ beside: Companions?
  ) throws -> [String: [UInt8]] {
    guard let beside else { return [:] }
    let files = try trips(name, large: large)
    return beside == .everything ? files : files.filter { $0.key == name + ".store" }
  }

  /// What belongs to a store stands beside that one and no other, whenever anybody looks. Where there
  /// is no store, what there was is told, and stands in its place when the next one is begun.
  @Test(arguments: [Companions.everything, .nothing], [Companions?.none, .everything, .nothing])
  func `files beside a copy always belong to its store`(
    _ new: Companions, _ old: Companions?
  ) async throws {
    let original = try Self.files("Trips", large: 1, new)
    let former = try Self.files("copy", large: 9, old)
    let formerIdentifier =
      former.isEmpty ? [] : try Self.identifier(former, Self.copy, Self.ofStore)
    let names = [".copy_SUPPORT/" + Self.value, Self.copy + "-values.db"]
    @Sendable func problems(_ left: [String: [UInt8]]) throws -> [String] {
      guard left[Self.copy] != nil else { return [] }
      let beside = Self.beside(left)
      let isFormer = try Self.identifier(left, Self.copy, Self.ofStore) == formerIdentifier
      guard (isFormer ? old : new) == .everything else {
        return beside.isEmpty ? [] : ["beside a store of one file: \(beside)"]
      }
      // Values that cannot be read are told of, and the copy is made without them.
      if !isFormer, beside == [names[0]], left[names[0]] == [1] { return [] }
      guard beside == names else { return ["beside it: \(beside)"] }
      let store = try Self.identifier(left, Self.copy, Self.ofStore)
      return (try Self.identifier(left, names[1], Self.ofValues) == store ? [] : ["other values"])
        + (left[names[0]] == [isFormer ? 9 : 1] ? [] : ["another large value"])
    }
    let line = ["rehearse", Self.name, "3", "-o", Self.copy, "--quiet"]
    try await FaultLoop(
      files: original.merging(former) { $1 },
      arguments: former.isEmpty ? line : line + ["--overwrite"], again: line + ["--overwrite"],
      problemsAfterFault: { place, status in
        let path = place.folder.file(Self.copy)
        var left = try place.files()
        var found = try problems(left)
        if !former.isEmpty, left[Self.copy] == nil {
          let error = #expect(throws: StoreError.self) { try StoreFile(path: path) }
          if case .beingReplaced(path, let waiting) = error {
            found +=
              left[String(waiting.dropFirst(place.folder.path.count + 1))] == nil ? ["lost"] : []
          } else {
            found.append("\(String(describing: error))")
          }
        }
        // The next one, which comes to nothing itself.
        try? StoreDraft(path: path, overwrites: true).write { _ in throw Stop() }
        left = try place.files()
        found += try problems(left)
        if left[Self.copy] == nil {
          found += former.isEmpty ? Self.beside(left) : ["the former store is lost"]
        }
        return found
      },
      problemsInTheEnd: { place in
        let left = try place.files()
        let isFormer = try Self.identifier(left, Self.copy, Self.ofStore) == formerIdentifier
        return try problems(left) + (isFormer ? ["the former store"] : [])
      }
    ).run()
  }

  /// Of two copies that come to one place at once, one is refused while the other is being put there.
  @Test(arguments: [false, true]) func `one of two concurrent rehearsals is refused`(
    _ overwrites: Bool
  ) async throws {
    var files = try Self.files("Trips", large: 1, .everything)
    if overwrites { files.merge(try Self.files("copy", large: 9, .nothing)) { $1 } }
    let line = ["rehearse", Self.name, "3", "-o", Self.copy, "--quiet"]
    let arguments = overwrites ? line + ["--overwrite"] : line
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let trial = try FaultLoop.Folder(files)
    let calls = try await injector.calls(
      of: .histctl, arguments, files: trial.folder.path, folder: trial.folder.path
    ).calls
    // It has looked whether the place is free, and has moved nothing there yet.
    let step = try #require(
      calls.firstIndex { $0.name == "mkdir" && $0.path.hasSuffix(Self.copy + "-former") })

    let place = try FaultLoop.Folder(files)
    let gate = tools.file("gate")
    let path = place.folder.path
    let first = Task {
      try await injector.hold(
        .histctl, arguments, files: path, at: step + 1, gate: gate, folder: path)
    }
    for _ in 0..<6000 where !FileManager.default.fileExists(atPath: gate) {
      try await Task.sleep(nanoseconds: 10_000_000)
    }
    try #require(FileManager.default.fileExists(atPath: gate))
    // To this one, time passes faster.
    let second = try await injector.calls(
      of: .histctl, arguments + ["--expire", "4"], files: path, folder: path, clockStep: 1000
    ).result
    #expect(second.status == 7, "\(second.errors)")
    #expect(second.errors.contains(Self.copy + " is locked by another program"))
    try FileManager.default.removeItem(atPath: gate)
    #expect(try await first.value.status == 0)
    let left = try place.files()
    #expect(Self.beside(left) == [".copy_SUPPORT/" + Self.value, Self.copy + "-values.db"])
    #expect(left[".copy_SUPPORT/" + Self.value] == [1])
    #expect(!left.keys.contains { $0.contains(".partial-") })
    let numbers = "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK <= 4 ORDER BY 1"
    #expect(try StoreQuery(path: place.folder.file(Self.copy)).lines(numbers) == ["3", "4"])
    let store = try Self.identifier(left, Self.copy, Self.ofStore)
    #expect(try Self.identifier(left, Self.copy + "-values.db", Self.ofValues) == store)
    // Now that one is done, the next one has its turn.
    let third = try await Tool.histctl.run(arguments, folder: path)
    #expect(third.status == (overwrites ? 0 : 9), "\(third.errors)")
  }
}
#endif
