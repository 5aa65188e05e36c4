/// What a file of recorded values holds altogether, for who prunes, lists or checks it.
extension RecordedValuesFile {
  /// What a file holds, found without going through it.
  package struct Extent: Hashable, Sendable {
    /// The oldest transaction with recorded values; nil where there is none.
    package let first: TransactionPosition?
    /// The newest one.
    package let last: TransactionPosition?
    /// How many bytes the file and its log take.
    package let byteCount: Int64
  }

  /// What the file holds.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func extent() throws -> Extent {
    try Self.reading(location.path) {
      let ends = try file.readDatabase { database in
        let statement = StatementRunner(database)
        return try ["ASC", "DESC"].map { order in
          try statement.rows(
            """
            SELECT transaction_number, timestamp FROM recorded_value
            ORDER BY transaction_number \(order) LIMIT 1
            """
          ).first.flatMap(TransactionPosition.init)
        }
      }
      let byteCount = try [location.resolvedPath, location.logPath].reduce(0) {
        try $0 + (location.size(of: $1) ?? 0)
      }
      return Extent(first: ends[0], last: ends[1], byteCount: byteCount)
    }
  }

  /// How many values of transactions before one there are.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func valueCount(before number: Int64) throws -> Int64 {
    try Self.reading(location.path) {
      try file.readDatabase {
        try StatementRunner($0).integer(
          "SELECT count(*) FROM recorded_value WHERE transaction_number < ?1", [.integer(number)])
          ?? 0
      }
    }
  }

  /// What SQLite's own check finds wrong with the pages of the file; nothing where all is well.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func pageProblems() throws -> [String] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        try StatementRunner(database).rows("PRAGMA quick_check(10)").compactMap { row in
          guard case .text(let text)? = row.first, text != "ok" else { return nil }
          return text
        }
      }
    }
  }

  /// Some of the transactions that rows name, by number and time.
  ///
  /// - Parameters:
  ///   - number: The number after which to begin; nil for the first ones.
  ///   - limit: The most to give.
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func positions(after number: Int64?, limit: Int) throws -> [TransactionPosition] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        let statement = StatementRunner(database)
        var positions: [TransactionPosition] = []
        var last = number
        while positions.count < limit {
          let row = try statement.rows(
            "SELECT transaction_number, timestamp FROM recorded_value WHERE transaction_number > ?1"
              + " ORDER BY transaction_number LIMIT 1", [.integer(last ?? .min)]
          ).first
          guard let row else { break }
          guard let position = TransactionPosition(row) else {
            throw StoreError.unusableValues(
              path: location.path, reason: "a row is not one of a recorded value")
          }
          positions.append(position)
          last = position.number
        }
        return positions
      }
    }
  }
}
