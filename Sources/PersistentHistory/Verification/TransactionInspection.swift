import StoreFormat

/// Looks at every row of `ATRANSACTION`.
struct TransactionInspection {
  var findings: FindingLog<StoreFindingKind>
  var facts: StoreFacts
  private var last: Int64?
  private var lastTime: StoreTimestamp?

  init(findings: FindingLog<StoreFindingKind>, facts: StoreFacts) {
    self.findings = findings
    self.facts = facts
  }

  mutating func run(_ snapshot: StoreSnapshot) throws {
    let rows = try snapshot.transactions(TransactionSelection())
    while try rows.next() {
      facts.transactionCount += 1
      guard inspectNumber(rows.number) else { return }
      inspectTime(rows)
      for column in rows.extra { inspect(column, of: rows.number) }
    }
    let issued = snapshot.entities.highestNumber(of: .transaction)
    if let last, last > issued {
      findings.addTornCounter(of: "TRANSACTION", issued: issued, present: last)
    }
  }

  /// Whether the rows are in order: damaged pages may be gone through in circles.
  private(set) var isInOrder = true

  private mutating func inspectNumber(_ number: Int64) -> Bool {
    if let last, number <= last {
      findings.add(
        .damagedPages, at: .table("ATRANSACTION"), "row \(number) stands behind row \(last)")
      isInOrder = false
      return false
    }
    if number < 1 {
      findings.add(.invalidNumber, at: .transaction(number), "the first transaction has number 1")
    }
    // What is missing before the first one has been pruned.
    if let last, last >= 1, number > last, number - 1 > last {
      findings.add(
        .numberGap, at: .transactions(last + 1...number - 1),
        number - last == 2 ? "it is missing" : "\(number - last - 1) transactions are missing")
    }
    facts.transactions = (facts.transactions?.lowerBound ?? number)...number
    last = number
    return true
  }

  private mutating func inspectTime(_ rows: TransactionCursor) {
    guard let time = rows.timestamp else {
      findings.add(
        .missingTime, at: .transaction(rows.number), "the column ZTIMESTAMP holds no real number")
      return
    }
    if time.iso8601() == nil {
      findings.add(
        .impossibleTime, at: .transaction(rows.number),
        "\(time.secondsSinceReferenceDate) seconds since 2001")
    }
    if let lastTime, time < lastTime {
      facts.clockStepCount += 1
      let seconds = lastTime.secondsSinceReferenceDate - time.secondsSinceReferenceDate
      if seconds > facts.largestClockStep?.seconds ?? 0 {
        facts.largestClockStep = StoreFacts.ClockStep(transaction: rows.number, seconds: seconds)
      }
    }
    lastTime = time
  }

  /// A column that holds more than the frameworks write.
  private mutating func inspect(_ extra: ExtraColumn, of number: Int64) {
    let place = FindingPlace.transaction(number)
    if extra.column == "ZTIMESTAMP" { return }
    for role in StringRole.allCases {
      if extra.column == role.identifierColumn, case .integer(let text) = extra.value {
        return findings.add(.danglingText, at: place, "\(extra.column) is \(text)")
      }
      if extra.column == role.plainColumn, case .text = extra.value {
        return findings.add(.doubleText, at: place, "\(extra.column) holds a text")
      }
    }
    findings.add(.unexpectedValue, at: place, "\(extra.column) holds \(extra.value.kindName)")
  }
}
