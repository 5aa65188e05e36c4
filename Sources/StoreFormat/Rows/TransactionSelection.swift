/// Which transactions to read, in terms of the tables. SQLite evaluates every condition.
public struct TransactionSelection: Hashable, Sendable {
  /// Which end of the history comes first.
  public enum Order: Hashable, Sendable {
    /// Oldest first.
    case ascending
    /// Newest first.
    case descending
  }

  /// Conditions on one of the four texts; they must all hold.
  public struct TextCondition: Hashable, Sendable {
    /// The text is one of these; `nil` for any.
    public var anyOf: [String]?
    /// With ``anyOf``, a transaction without the text matches too.
    public var orNone: Bool
    /// The text is none of these. A transaction without the text matches.
    public var noneOf: [String]

    /// Makes a condition; without arguments, one that always holds.
    public init(anyOf: [String]? = nil, orNone: Bool = false, noneOf: [String] = []) {
      self.anyOf = anyOf
      self.orNone = orNone
      self.noneOf = noneOf
    }

    /// Whether every transaction meets it.
    package var isEmpty: Bool { anyOf == nil && noneOf.isEmpty }
  }

  /// Only transactions with a higher number.
  var after: Int64?
  /// Only transactions with this number or a lower one.
  var until: Int64?
  /// Conditions on author, bundle, process and context.
  var texts: [StringRole: TextCondition]
  /// Only transactions with at least one such change.
  var change: ChangeSelection?
  /// Which transaction comes first.
  package var order: Order
  /// The maximum number of transactions; `nil` for all.
  package var limit: Int?
  /// Whether ``limit`` keeps the newest transactions, in any order.
  package var limitKeepsNewest: Bool
  /// Whether reading fails at its end if an index and its table have different rows, or a change names a
  /// missing transaction.
  package var checksCompleteness = true
  /// Whether this is a part of a longer reading, which checks the number of transactions as a whole.
  package var isPart = false
  /// Whether the changes of each transaction are looked up in the index, although they could be read
  /// in the order of their rows: a second reading that can contradict the first.
  package var looksUpChanges = false

  package init(
    after: Int64? = nil, until: Int64? = nil, texts: [StringRole: TextCondition] = [:],
    change: ChangeSelection? = nil, order: Order = .ascending, limit: Int? = nil,
    limitKeepsNewest: Bool = false
  ) {
    self.after = after
    self.until = until
    self.texts = texts
    self.change = change
    self.order = order
    self.limit = limit
    self.limitKeepsNewest = limitKeepsNewest
  }

  /// Whether all transactions in ``range`` are selected.
  var isComplete: Bool {
    limit == nil && change == nil && texts.values.allSatisfy(\.isEmpty) && after != .max
      && range.lowerBound <= until ?? .max
  }

  /// Whether transactions in the range may be left out, or are not read oldest first.
  var isSparse: Bool { order == .descending || !isComplete }

  /// The numbers that the transactions can have.
  var range: ClosedRange<Int64> {
    let lowest = after.map { $0 == .max ? .max : $0 + 1 } ?? .min
    return lowest...max(lowest, until ?? .max)
  }

  /// Returns the conditions on a transaction itself, in the row `t`.
  func conditions(tables: HistoryTables) -> ConditionBuilder {
    var builder = ConditionBuilder()
    if let after { builder.add("t.Z_PK > \(builder.bind(.integer(after)))") }
    if let until { builder.add("t.Z_PK <= \(builder.bind(.integer(until)))") }
    for role in StringRole.allCases {
      if let condition = texts[role], !condition.isEmpty {
        builder.add(condition, on: role, tables: tables)
      }
    }
    return builder
  }

  /// Returns the statement that reads the given columns of the selected transactions.
  func query(columns: [String], tables: HistoryTables) -> (sql: String, arguments: [StoredValue]) {
    var builder = conditions(tables: tables)
    if let change { builder.add(change, tables: tables) }

    let list = columns.joined(separator: ", ")
    // The indexes of this small table are not needed, and cannot be trusted without a look at all rows.
    var sql = "SELECT \(list) FROM ATRANSACTION AS t NOT INDEXED"
    if !builder.conditions.isEmpty {
      sql += " WHERE " + builder.conditions.joined(separator: " AND ")
    }
    let isAscending = order == .ascending
    guard let limit else {
      return (sql + " ORDER BY t.Z_PK \(isAscending ? "ASC" : "DESC")", builder.arguments)
    }
    let bound = builder.bind(.integer(Int64(max(limit, 0))))
    guard isAscending && limitKeepsNewest else {
      return (
        sql + " ORDER BY t.Z_PK \(isAscending ? "ASC" : "DESC") LIMIT \(bound)", builder.arguments
      )
    }
    let newest =
      "SELECT t.Z_PK" + sql.dropFirst("SELECT \(list)".count)
      + " ORDER BY t.Z_PK DESC LIMIT \(bound)"
    return (
      "SELECT \(list) FROM ATRANSACTION AS t NOT INDEXED WHERE t.Z_PK IN (\(newest)) ORDER BY t.Z_PK ASC",
      builder.arguments
    )
  }
}

/// Which changes to look for, in terms of the tables. A change must meet all conditions.
package struct ChangeSelection: Hashable, Sendable {
  /// An object: the number of its entity, and its primary key.
  package struct Object: Hashable, Sendable {
    /// The number of the object's own entity.
    package let entityNumber: Int64
    /// The object's primary key.
    let primaryKey: Int64

    package init(entityNumber: Int64, primaryKey: Int64) {
      self.entityNumber = entityNumber
      self.primaryKey = primaryKey
    }
  }

  /// Some slots of one entity.
  package struct Slots: Hashable, Sendable {
    /// The number of the entity.
    let entityNumber: Int64
    /// How many slots its masks have.
    let slotCount: Int
    /// The slots of which at least one must be set.
    let slots: [Int]

    package init(entityNumber: Int64, slotCount: Int, slots: [Int]) {
      self.entityNumber = entityNumber
      self.slotCount = slotCount
      self.slots = slots
    }
  }

  /// The change is of one of these kinds; `nil` for any.
  var kinds: [ChangeKind]?
  /// The object is of one of these entities; `nil` for any.
  package var entityNumbers: [Int64]?
  /// The object is one of these; `nil` for any.
  package var objects: [Object]?
  /// The change is an update that touched one of these slots; `nil` for any change.
  package var slots: [Slots]?

  package init(
    kinds: [ChangeKind]? = nil, entityNumbers: [Int64]? = nil, objects: [Object]? = nil,
    slots: [Slots]? = nil
  ) {
    self.kinds = kinds
    self.entityNumbers = entityNumbers
    self.objects = objects
    self.slots = slots
  }

  /// Whether a change meets all conditions.
  package func matches(_ change: ChangeCursor) -> Bool {
    if let kinds, !(change.kind.map(kinds.contains) ?? false) { return false }
    if let entityNumbers, !(change.entityNumber.map(entityNumbers.contains) ?? false) {
      return false
    }
    if let objects,
      !objects.contains(where: {
        $0.entityNumber == change.entityNumber && $0.primaryKey == change.primaryKey
      })
    {
      return false
    }
    guard let slots else { return true }
    guard change.kind == .update, let mask = change.mask else { return false }
    return slots.contains {
      $0.entityNumber == change.entityNumber && mask.fits(slotCount: $0.slotCount)
        && $0.slots.contains(where: mask.contains)
    }
  }
}
