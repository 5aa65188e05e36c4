import OpenSwiftData
import TestSupport
import Testing

/// History after a token whose transaction is gone is refused, however it is asked for.
@Suite(.bounded) struct ExpiredTokenTests {
  private typealias Condition = Predicate<DefaultHistoryTransaction>

  private let store: TripStore
  private let context: ModelContext
  private let tokens: [DefaultHistoryToken]

  /// Who keeps a place.
  private struct Reader: Codable, Sendable {
    var token: DefaultHistoryToken
    var lastToken: DefaultHistoryToken?
  }

  /// A store with six transactions, of which the first two are gone.
  init() throws {
    store = try TripStore()
    context = store.context(author: "App")
    for number in 0..<6 {
      context.insert(Tag(label: "\(number)"))
      try context.save()
    }
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    tokens = all.map(\.token)
    let third = tokens[2]
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < third }))
  }

  private func numbers(_ condition: Condition) throws -> [Int64] {
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: condition)
    let numbers = try context.fetchHistory(descriptor).map(\.transactionIdentifier)
    #expect(try context.fetchHistoryCount(descriptor) == numbers.count)
    return numbers
  }

  /// Ways to ask for what comes after a token, or for that and more.
  private func questions(after token: DefaultHistoryToken) throws -> [Condition] {
    let reader = Reader(token: token, lastToken: token)
    let newest = tokens[5]
    let ends = token...newest
    let kept = [token]
    return [
      #Predicate { $0.token > token },
      #Predicate { token < $0.token },
      #Predicate { $0.token >= token && $0.author == "App" },
      #Predicate { !($0.token <= token) },
      #Predicate { !($0.token < token) },
      #Predicate { !($0.author != "App" || $0.token <= token) },
      #Predicate { !(!($0.token > token)) },
      #Predicate { $0.token > token || $0.author == "widget" },
      #Predicate { $0.author == "App" ? $0.token > token : false },
      #Predicate { ($0.token > token) == true },
      #Predicate { $0.token > reader.token },
      #Predicate { $0.token > reader.lastToken ?? newest },
      #Predicate { $0.token > kept[0] },
      #Predicate { ends.contains($0.token) },
      #Predicate { (token...newest).contains($0.token) },
      #Predicate { (token..<newest).contains($0.token) },
    ]
  }

  @Test func `an expired token is refused`() throws {
    for (number, condition) in try questions(after: tokens[0]).enumerated() {
      #expect(throws: SwiftDataError.historyTokenExpired, "\(number)") {
        try context.fetchHistory(HistoryDescriptor(predicate: condition))
      }
      #expect(throws: SwiftDataError.historyTokenExpired, "\(number)") {
        try context.fetchHistoryCount(HistoryDescriptor(predicate: condition))
      }
    }
  }

  @Test func `a token of a present transaction is accepted`() throws {
    let questions = try questions(after: tokens[3])
    // Some include the transaction of the token, and the last one excludes the newest.
    let including: Set = [2, 4, 13, 14]
    for (number, condition) in questions.enumerated() {
      let expected: [Int64] =
        number == questions.count - 1 ? [4, 5] : including.contains(number) ? [4, 5, 6] : [5, 6]
      #expect(try numbers(condition) == expected, "\(number)")
    }
  }

  /// What comes before a token is all there, as far as it is kept.
  @Test func `transactions before a token are found`() throws {
    let (token, later) = (tokens[0], tokens[3])
    #expect(try numbers(#Predicate { $0.token <= token }) == [])
    #expect(try numbers(#Predicate { !($0.token > token) }) == [])
    #expect(try numbers(#Predicate { $0.author == nil || $0.token <= token }) == [])
    #expect(try numbers(#Predicate { $0.token == token || $0.token <= later }) == [3, 4])
    #expect(try numbers(#Predicate { $0.transactionIdentifier > 1 }) == [3, 4, 5, 6])
  }

  /// What the captured values alone decide asks for nothing.
  @Test func `tokens that do not matter may be expired`() throws {
    let token = tokens[0]
    let (isEverything, isNothing) = (true, false)
    let reader = Reader(token: token, lastToken: nil)
    #expect(try numbers(#Predicate { isEverything || $0.token > token }) == [3, 4, 5, 6])
    #expect(try numbers(#Predicate { $0.token > token || isEverything }) == [3, 4, 5, 6])
    #expect(try numbers(#Predicate { isNothing && $0.token > token }) == [])
    #expect(try numbers(#Predicate { $0.token > token && isNothing }) == [])
    #expect(
      try numbers(#Predicate { isEverything ? $0.author == "App" : $0.token > token })
        == [3, 4, 5, 6])
    #expect(
      try numbers(#Predicate { reader.lastToken == nil || $0.token > reader.lastToken! })
        == [3, 4, 5, 6])
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try numbers(#Predicate { isNothing || $0.token > token })
    }
  }
}
