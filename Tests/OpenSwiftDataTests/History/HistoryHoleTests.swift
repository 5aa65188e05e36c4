import OpenSwiftData
import TestSupport
import Testing

/// A history with holes: the frameworks' `deleteHistory` deletes whatever a predicate names, such as the
/// transactions of one author.
@Suite(.bounded) struct HistoryHoleTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private let store: TripStore
  private let tokens: [DefaultHistoryToken]
  private static let kept: [Int64] = [1, 2, 4, 5, 7, 8]

  /// Nine transactions, of which every third, by the widget, is gone.
  init() throws {
    store = try TripStore()
    for number in 1...9 {
      let context = store.context(author: number.isMultiple(of: 3) ? "widget" : "app")
      context.insert(Tag(label: "\(number)"))
      try context.save()
    }
    tokens = try store.context().fetchHistory(Descriptor()).map(\.token)
    try StoreQuery(path: store.path).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID % 3 = 0;
      DELETE FROM ATRANSACTION WHERE Z_PK % 3 = 0
      """)
  }

  private func numbers(after token: DefaultHistoryToken) throws -> [Int64] {
    try store.context().fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
      .map(\.transactionIdentifier)
  }

  @Test func `each token answers the same in both programs`() async throws {
    let context = store.context()
    #expect(try context.fetchHistory(Descriptor()).map(\.id) == Self.kept)
    #expect(try context.oldestHistoryToken() == tokens[0])
    #expect(try context.newestHistoryToken() == tokens[7])
    for (place, token) in tokens.enumerated() {
      let number = Int64(place + 1)
      let checked = try await Tool.histctl.run([
        "token", "check", store.path, "\(number)", "--json",
      ])
      let line = try #require(checked.lines.first)
      let found = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      if Self.kept.contains(number) {
        // What is kept after it comes, and nothing says that there was more.
        #expect(try context.historyTokenState(token) == .current)
        #expect(try numbers(after: token) == Self.kept.filter { $0 > number })
        #expect(found["state"] as? String == "valid", "\(line)")
      } else {
        #expect(try context.historyTokenState(token) == .expired(oldest: tokens[0]))
        let error = #expect(throws: SwiftDataError.self) { try numbers(after: token) }
        #expect(error == .historyTokenExpired)
        #expect(
          error?.explanation.contains("\(number - 1)") == true, "\(String(describing: error))")
        #expect(found["state"] as? String == "expired", "\(line)")
      }
    }
  }

  @Test func `saving, following and deleting go on`() throws {
    let context = store.context(author: "app")
    context.insert(Tag(label: "10"))
    try context.save()
    #expect(try numbers(after: tokens[7]) == [10])
    #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(after: tokens[8]) }
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "widget" }))
    #expect(try context.fetchHistory(Descriptor()).map(\.id) == Self.kept + [10])
    let five = tokens[4]
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token < five }))
    #expect(try context.fetchHistory(Descriptor()).map(\.id) == [5, 7, 8, 10])
    let ten: Int64 = 10
    try context.deleteHistory(
      Descriptor(predicate: #Predicate { $0.author == "app" && $0.transactionIdentifier < ten }))
    #expect(try context.fetchHistory(Descriptor()).map(\.id) == [10])
    #expect(
      try StoreQuery(path: store.path).lines("SELECT count(*), min(ZTRANSACTIONID) FROM ACHANGE")
        == ["1|10"])
  }

  @Test func `an archive, verify and prune take holes for what they are`() async throws {
    let histctl = Tool.histctl
    let (path, archive) = (store.path, store.folder.file("archive"))
    func sealed() async throws -> [Int] {
      let log = try await histctl.run(["log", archive, "--json", "--reverse"])
      return try log.lines.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["transaction"] as? Int)
      }
    }
    let verified = try await histctl.run(["verify", path])
    #expect(verified.status == 1 && verified.text.contains("numberGap, 2"), "\(verified.text)")
    #expect(try await histctl.run(["archive", path, archive]).status == 0)
    #expect(try await sealed() == [1, 2, 4, 5, 7])
    #expect(try await histctl.run(["verify", archive, "--full"]).status == 0)
    // The app deletes more of what is sealed, and saves.
    try StoreQuery(path: path).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 4; DELETE FROM ATRANSACTION WHERE Z_PK = 4
      """)
    let context = store.context(author: "app")
    context.insert(Tag(label: "10"))
    try context.save()
    let both = try await histctl.run(["verify", path, "--archive", archive])
    #expect(both.status == 1, "\(both.text)")
    #expect(both.text.contains("deletedTransaction, 1"), "\(both.text)")
    let pruned = try await histctl.run([
      "prune", path, "--keep-last", "1", "--archive", archive, "--yes",
    ])
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try await sealed() == [1, 2, 4, 5, 7, 8, 10])
    #expect(try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION") == ["10"])
    let after = try await histctl.run(["verify", path, "--archive", archive])
    #expect(after.status == 0, "\(after.text)")
    // A token in a hole stays expired, and others work with the archive.
    for (number, status) in [(2, 0), (3, 1), (4, 0), (8, 0), (9, 1)] {
      let check = try await histctl.run(["token", "check", path, "\(number)", "--archive", archive])
      #expect(check.status == status, "\(number): \(check.text)\(check.errors)")
    }
  }
}
