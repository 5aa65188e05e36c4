import PersistentHistory
import StoreEditing
import StoreFormat

/// Finds out whether text is, byte for byte, what the encoder writes of the transactions that it tells
/// of.
///
/// A change that is like thousands before, but for its two numbers, costs a fraction; so does the head
/// of a line. What is not known yet is decoded and written anew.
package final class CanonicalLineCheck {
  /// Why a text is not the lines of transactions.
  package struct Problem: Error, Hashable, Sendable {
    /// What is wrong.
    package let detail: String
    /// The transaction whose line it is, or the one before it; nil in the first line.
    package let transaction: Int64?
  }

  /// What the head of a line tells.
  package struct Head: Sendable {
    /// The transaction number.
    package let number: Int64
    /// When it was saved.
    package let timestamp: StoreTimestamp?
  }

  /// How many changes there are of one kind and one entity.
  package struct Count: Hashable, Sendable {
    /// The kind; nil for one that no framework writes.
    package let kind: ChangeKind?
    /// The entity's number; nil where the change names none.
    package let entityNumber: Int64?

    package init(kind: ChangeKind?, entityNumber: Int64?) {
      self.kind = kind
      self.entityNumber = entityNumber
    }
  }

  private let decoder: TransactionLineDecoder
  private var encoder = TransactionLineEncoder()
  private let store: String
  private var heads: KnownHeads
  private var changes = KnownChanges<Count>()
  private var deletes = KnownDeletes()
  private var counts: [Count: Int64] = [:]
  private var current: Int64?

  /// - Parameters:
  ///   - store: The identifier of the store that all transactions must be of.
  ///   - schema: The entities that the lines were written with.
  package init(store: String, schema: HistorySchema) {
    self.store = store
    decoder = TransactionLineDecoder(schema: schema)
    heads = KnownHeads()
  }

  /// Checks text that consists of whole lines.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - body: Is told of each transaction, before its changes were looked at.
  /// - Throws: ``Problem``.
  package func check(
    lines text: UnsafeBufferPointer<UInt8>, _ body: (Head) throws -> Void
  ) throws {
    var place = 0
    while place < text.count {
      place += try takeLine(UnsafeBufferPointer(rebasing: text[place...]), body)
      guard place < text.count, text[place] == UInt8(ascii: "\n") else {
        throw problem("the line does not end behind its changes")
      }
      place += 1
    }
  }

  /// Checks one line, which comes without its line end.
  package func check(line text: UnsafeBufferPointer<UInt8>) throws {
    guard try takeLine(text, { _ in }) == text.count else {
      throw problem("the line does not end behind its changes")
    }
  }

  /// Takes a line and gives its length without the line end.
  @inline(__always)
  private func takeLine(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (Head) throws -> Void
  ) throws -> Int {
    var place = try takeHead(text, body)
    if place < text.count, text[place] != UInt8(ascii: "]") {
      place += try takeChange(UnsafeBufferPointer(rebasing: text[place...]))
      while place < text.count, text[place] == UInt8(ascii: ",") {
        place += 1
        place += try takeChange(UnsafeBufferPointer(rebasing: text[place...]))
      }
    }
    guard text.count - place >= 2, text[place] == UInt8(ascii: "]"),
      text[place + 1] == UInt8(ascii: "}")
    else { throw problem("the line does not end behind its changes") }
    return place + 2
  }

  /// Checks the head of a line, which was closed as a line without changes.
  package func check(closedHead text: [UInt8]) throws -> Head {
    let known = text.withUnsafeBufferPointer {
      heads.take(UnsafeBufferPointer(rebasing: $0.dropLast(2)))
    }
    if let (head, length) = known, length == text.count - 2 {
      current = head.number
      return head
    }
    return try decode(closedHead: text)
  }

  /// Checks one change.
  package func check(change text: UnsafeBufferPointer<UInt8>) throws {
    if take(text) != text.count { try decode(change: text) }
  }

  /// How many changes were checked, by kind and entity; from here on they are counted anew.
  package func takeCounts() -> [Count: Int64] {
    changes.takeCounts(into: &counts)
    deletes.takeCounts(into: &counts)
    defer { counts.removeAll(keepingCapacity: true) }
    return counts
  }

  private func problem(_ detail: String) -> Problem {
    Problem(detail: detail, transaction: current)
  }

  // MARK: - Heads

  private func takeHead(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (Head) throws -> Void
  ) throws -> Int {
    if let (head, length) = heads.take(text) {
      current = head.number
      try body(head)
      return length
    }
    var span = JSONSpan()
    guard span.findChanges(text) else { throw problem("a line has no changes") }
    let head = try decode(closedHead: Array(text[..<span.end]) + Array("]}".utf8))
    try body(head)
    return span.end
  }

  private func decode(closedHead text: [UInt8]) throws -> Head {
    let line: HistoryLine
    do {
      line = try decoder.decode(text)
    } catch {
      throw problem(error.message)
    }
    guard case .transaction(let transaction) = line else {
      throw problem("a line is no transaction")
    }
    current = transaction.number
    guard transaction.store == store else { throw problem("it is of another store") }
    encoder.removeAll()
    encoder.begin(transaction)
    try text.withUnsafeBufferPointer {
      let head = UnsafeBufferPointer(rebasing: $0.dropLast(2))
      guard encoder.withUnsafeBytes({ $0.elementsEqual(UnsafeRawBufferPointer(head)) }) else {
        throw problem("its text is not the one that is written of what it says")
      }
      heads.learn(head)
    }
    return Head(number: transaction.number, timestamp: transaction.timestamp)
  }

  // MARK: - Changes

  /// Takes a change of which enough is known, and gives its length; nil for all others.
  @inline(__always)
  private func take(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    changes.take(text) ?? deletes.take(text)
  }

  @inline(__always)
  private func takeChange(_ text: UnsafeBufferPointer<UInt8>) throws -> Int {
    if let length = take(text) { return length }
    var span = JSONSpan()
    guard text.first == UInt8(ascii: "{"), span.findEndOfObject(text) else {
      throw problem("a change has no end")
    }
    try decode(change: UnsafeBufferPointer(rebasing: text[..<span.end]))
    return span.end
  }

  private func decode(change text: UnsafeBufferPointer<UInt8>) throws {
    let change: HistoryChange
    do {
      change = try decoder.decodeChange(text)
    } catch {
      throw problem(error.message)
    }
    if let entity = change.entity, entity.number == nil {
      throw problem("a change is of the entity \(entity.label), which the schema does not have")
    }
    // The first change of a line has no comma before it.
    encoder.begin(HistoryTransaction(store: nil, number: 0, timestamp: nil))
    encoder.removeAll()
    encoder.append(change)
    guard encoder.withUnsafeBytes({ $0.elementsEqual(UnsafeRawBufferPointer(text)) }) else {
      throw problem("the text of change \(change.number) is not the one that is written of it")
    }
    let key = Count(kind: change.kind, entityNumber: change.entity?.number)
    if change.kind == .delete, let entity = change.entity, !change.tombstone.isEmpty {
      deletes.learn(text, entity, as: key)
      counts[key, default: 0] += 1
    } else if !change.values.isEmpty || !changes.learn(text, as: key) {
      counts[key, default: 0] += 1
    }
  }
}
