import Foundation
import StoreFormat
import TestSupport
import Testing

/// Stores of which a table and its indexes contradict each other: nothing is deleted that is not sealed, and no
/// archive that lacks rows ends with 0.
@Suite(.bounded, .enabled(if: Tool("zstd") != nil)) struct DamagedPruneTests {
  /// The rows of `ACHANGE` in the table itself: the number of the transaction by that of the change. Values that
  /// are no integers are `nil`.
  private static func changes(_ store: String) throws -> [Int64: Int64?] {
    var changes: [Int64: Int64?] = [:]
    for row in try StoreQuery(path: store).rows(
      "SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE NOT INDEXED")
    {
      guard case .integer(let number) = row[0] else { continue }
      if case .integer(let owner) = row[1] {
        changes[number] = .some(owner)
      } else {
        changes[number] = .some(nil)
      }
    }
    return changes
  }

  private static func transactions(_ store: String) throws -> [Int64] {
    try StoreQuery(path: store).rows("SELECT Z_PK FROM ATRANSACTION NOT INDEXED ORDER BY Z_PK")
      .compactMap { if case .integer(let number) = $0[0] { number } else { nil } }
  }

  /// The numbers of the changes in the segments of an archive, unpacked by zstd.
  private static func sealed(_ archive: String) async throws -> [Int64] {
    guard let paths = FileManager.default.enumerator(atPath: archive) else { return [] }
    let segments = paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".jsonl.zst") }
    guard !segments.isEmpty else { return [] }
    let lines = try await #require(Tool("zstd")).run(
      ["-dcq"] + segments.sorted().map { archive + "/" + $0 })
    #expect(lines.status == 0)
    return try lines.lines.flatMap { line -> [Int64] in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (object?["changes"] as? [[String: Any]] ?? []).compactMap {
        ($0["change"] as? NSNumber)?.int64Value
      }
    }
  }

  // MARK: - Damage

  private struct Base {
    let name: String
    let bytes: [UInt8]
    let pageSize: Int
    let first: Int64
    let last: Int64
  }

  private static func bases(_ folder: TemporaryFolder) async throws -> [Base] {
    var bases: [Base] = []
    func add(_ path: String, _ bytes: [UInt8]) throws {
      let copy = folder.file("measured")
      try FileBytes.write(bytes, to: copy)
      let numbers = try transactions(copy)
      guard let first = numbers.first, let last = numbers.last else { return }
      let size = Int(bytes[16]) << 8 | Int(bytes[17])
      bases.append(
        Base(
          name: URL(fileURLWithPath: path).lastPathComponent, bytes: bytes,
          pageSize: size == 1 ? 65_536 : size, first: first, last: last))
    }
    var shape = StoreWriter.Shape()
    shape.pageSize = 1024
    let long = try LongHistory.write(
      to: folder.file("long"), transactions: 200, changesEach: 3, sizes: [60: 700], shape: shape)
    try add(long, FileBytes.read(long))
    let demo = try await Tool.histctl.run(["demo", folder.file("demo")])
    #expect(demo.status == 0)
    try add("demo", FileBytes.read(folder.file("demo/trips.store")))
    for path in RealStores.paths {
      let folder = try TemporaryFolder()
      let copy = try folder.copy(store: path)
      guard let query = try? StoreQuery(path: copy),
        let count = try? query.lines("SELECT count(*) FROM ATRANSACTION").first.flatMap({ Int($0) }
        ),
        count > 20, (try? query.run("PRAGMA wal_checkpoint(TRUNCATE)")) != nil,
        case let bytes = try FileBytes.read(copy), bytes.count < 2 << 20
      else { continue }
      let kept = folder.file("kept")
      try FileBytes.write(bytes, to: kept)
      // Some real stores are damaged already, or have what refuses a prune.
      let trial = try await Tool.histctl.run(
        ["prune", kept, "--keep-last", "5", "--archive", folder.file("archive"), "--yes"])
      guard trial.status == 0 else { continue }
      try add(path, bytes)
    }
    return bases
  }

  private enum Damage: CaseIterable {
    case entries, rows, owners, cells, children, bits
  }

  /// Damages a store, and returns what was done; `nil` if there is nothing of the kind.
  private static func damage(
    _ path: String, _ base: Base, _ random: inout SeededGenerator
  ) throws -> String? {
    let kind = Damage.allCases.randomElement(using: &random) ?? .bits
    switch kind {
    case .entries:
      let query = try StoreQuery(path: path)
      let indexes = try query.rows(
        """
        SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
          AND tbl_name IN ('ACHANGE', 'ATRANSACTION') ORDER BY name
        """)
      guard let index = indexes.randomElement(using: &random), case .text(let name) = index[0],
        case .text(let table) = index[1], case .text(let sql) = index[2]
      else { return nil }
      let numbers = try query.rows("SELECT Z_PK FROM \(table) ORDER BY Z_PK").compactMap {
        if case .integer(let number) = $0[0] { number } else { nil as Int64? }
      }
      guard let first = numbers.randomElement(using: &random) else { return nil }
      let range = first...first + Int64.random(in: 0...30, using: &random)
      let text = sql.replacingOccurrences(of: "'", with: "''")
      try query.run(
        """
        DROP INDEX "\(name)";
        \(sql) WHERE Z_PK NOT BETWEEN \(range.lowerBound) AND \(range.upperBound);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = '\(text)' WHERE name = '\(name)';
        PRAGMA writable_schema = RESET
        """)
      return "\(name) without \(range)"
    case .rows:
      let table = Bool.random(using: &random) ? "ACHANGE" : "ATRANSACTION"
      let column = Bool.random(using: &random) ? "ASC" : "DESC"
      let query = try StoreQuery(path: path)
      let sql =
        Bool.random(using: &random)
        ? """
        DELETE FROM \(table) WHERE Z_PK IN (SELECT Z_PK FROM \(table) ORDER BY Z_PK \(column)
          LIMIT \(Int.random(in: 1...3, using: &random)))
        """
        : """
        DELETE FROM \(table) WHERE Z_PK IN (SELECT Z_PK FROM \(table) ORDER BY Z_PK
          LIMIT \(Int.random(in: 1...3, using: &random)) OFFSET \(Int.random(in: 0..<30, using: &random)))
        """
      try query.run(sql)
      return sql
    case .owners:
      let owner =
        ["-5", "0", "\(base.first - 1)", "NULL", "'x'", "x'05'", "\(base.first).5", "1e300"]
        .randomElement(using: &random) ?? "NULL"
      let sql = """
        UPDATE ACHANGE SET ZTRANSACTIONID = \(owner) WHERE Z_PK IN (SELECT Z_PK FROM ACHANGE
          ORDER BY Z_PK LIMIT 2 OFFSET \(Int.random(in: 0..<60, using: &random)))
        """
      try StoreQuery(path: path).run(sql)
      return sql
    case .cells, .children, .bits:
      var bytes = base.bytes
      let what = try damage(&bytes, path, base, kind, &random)
      try FileBytes.write(bytes, to: path)
      return what
    }
  }

  private static func damage(
    _ bytes: inout [UInt8], _ path: String, _ base: Base, _ kind: Damage,
    _ random: inout SeededGenerator
  ) throws -> String? {
    // The pages of the history's tables and indexes.
    let trees = try StoreQuery(path: path).rows(
      """
      SELECT rootpage FROM sqlite_master
      WHERE rootpage > 1 AND tbl_name IN ('ACHANGE', 'ATRANSACTION') ORDER BY rootpage
      """)
    var pages: [Int] = []
    var pending = trees.compactMap { if case .integer(let page) = $0[0] { Int(page) } else { nil } }
    while let page = pending.popLast() {
      let start = (page - 1) * base.pageSize
      guard start + base.pageSize <= bytes.count else { continue }
      pages.append(start)
      guard bytes[start] == 5 || bytes[start] == 2 else { continue }
      pending.append(number(bytes, start + 8, 4))
      for cell in 0..<number(bytes, start + 3, 2) {
        pending.append(number(bytes, start + number(bytes, start + 12 + 2 * cell, 2), 4))
      }
    }
    let types: Set<UInt8> =
      switch kind {
      case .children: [5, 2]
      case .bits: [10, 2]
      default: [13, 10]
      }
    guard
      let page = pages.filter({ types.contains(bytes[$0]) && number(bytes, $0 + 3, 2) > 1 })
        .randomElement(using: &random)
    else { return nil }
    let count = number(bytes, page + 3, 2)
    let header = bytes[page] > 5 ? 8 : 12
    if kind == .bits {
      // Among the entries, which fill the page from its end.
      let content = number(bytes, page + 5, 2)
      let place = Int.random(in: content..<base.pageSize, using: &random)
      let bit = Int.random(in: 0..<8, using: &random)
      bytes[page + place] ^= 1 << bit
      return "bit \(bit) of byte \(place) of page \(page / base.pageSize + 1)"
    }
    let cell = Int.random(in: 0..<count, using: &random)
    let start = page + header + 2 * cell
    bytes.replaceSubrange(
      start..<page + header + 2 * count,
      with: bytes[start + 2..<page + header + 2 * count] + [0, 0])
    bytes[page + 3] = UInt8((count - 1) >> 8)
    bytes[page + 4] = UInt8((count - 1) & 0xFF)
    return "cell \(cell) of page \(page / base.pageSize + 1), of the type \(bytes[page])"
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    guard place + count <= bytes.count else { return 0 }
    return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: - The campaign

  @Test
  func
    `no prune of a damaged store loses a change, and no incomplete archive ends with 0`()
    async throws
  {
    let folder = try TemporaryFolder()
    let bases = try await Self.bases(folder)
    let seed = Campaign.seed
    var random = SeededGenerator(seed: seed)
    var statuses: [Int: Int] = [:]
    for number in 0..<Campaign.count(120, 3000) {
      guard let base = bases.randomElement(using: &random) else { return }
      let place = try TemporaryFolder()
      let (store, other) = (place.file("a.store"), place.file("b.store"))
      try FileBytes.write(base.bytes, to: store)
      guard let what = try Self.damage(store, base, &random) else { continue }
      let comment: Comment = "seed \(seed), case \(number): \(base.name): \(what)"
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + suffix) }
      try FileBytes.write(FileBytes.read(store), to: other)
      let cut = Int64.random(in: base.first + 1...base.last, using: &random)
      // A table that SQLite cannot read has no truth.
      guard let original = try? Self.changes(store), let present = try? Self.transactions(store),
        let kept = present.first(where: { $0 >= cut })
      else { continue }
      let owned = Set(present)
      // Only the first transaction to keep is sealed as well.
      let before = original.compactMap { change, owner in
        owner.flatMap { $0 < kept && owned.contains($0) ? change : nil }
      }

      let archived = try await Tool.histctl.run(
        ["archive", other, place.file("c"), "--before", "\(kept)"])
      #expect(archived.status < 128, comment)
      if archived.status == 0 {
        let sealed = try await Self.sealed(place.file("c"))
        #expect(Set(before).subtracting(sealed) == [], "\(comment): archive")
        #expect(Set(sealed).count == sealed.count, "\(comment): archive")
      }

      let archive = place.file("d")
      let pruned = try await Tool.histctl.run(
        ["prune", store, "--before", "\(kept)", "--archive", archive, "--yes"])
      #expect(pruned.status < 128, comment)
      statuses[pruned.status, default: 0] += 1
      let sealed = try await Self.sealed(archive)
      let left = try Set(Self.changes(store).keys)
      #expect(
        Set(original.keys).subtracting(left).subtracting(sealed) == [],
        "\(comment): \(pruned.status) \(pruned.errors)")
      if pruned.status == 0 {
        #expect(Set(before).subtracting(sealed) == [], comment)
        #expect(Set(sealed).count == sealed.count, comment)
      }

      // What a damaged index hid is found again.
      guard (try? StoreQuery(path: store).run("REINDEX")) != nil else { continue }
      let again = try await Tool.histctl.run(["prune", store, "--before", "\(kept)", "--yes"])
      let rest = try Set(Self.changes(store).keys)
      let lost = Set(original.keys).subtracting(rest).subtracting(sealed)
      if pruned.status == 0, again.status == 0 {
        // By its numbers alone a beginning that lost its transaction can be that of an interrupted restore.
        #expect(
          lost.allSatisfy { change in original[change].flatMap(\.self).map { $0 > 0 } ?? false }
            && Set(lost.compactMap { original[$0].flatMap(\.self) }).subtracting(owned).count <= 1
            && lost.allSatisfy { original[$0].flatMap(\.self).map { !owned.contains($0) } ?? false },
          "\(comment): \(lost.sorted())")
      }
      #expect(
        lost.allSatisfy { change in original[change].flatMap(\.self).map { $0 < kept } ?? false },
        "\(comment): a change after the cut was deleted")
    }
    print("statuses of prune --archive: \(statuses)")
    #expect(statuses[0] ?? 0 > 0 && statuses[5] ?? 0 > 0)
  }
}
