/// What has become of identifiers that undo records name, as far as there are such records.
struct UndoAliases {
  /// Counts what is noted here.
  private var time = 0
  /// When the record that is being made began.
  private(set) var recordBegins = 0
  /// The number of records by the time at which they began.
  private var records: [Int: Int] = [:]
  private var successors: [PersistentIdentifier: (other: PersistentIdentifier, time: Int)] = [:]
  /// Models that were saved as new ones while the store had the same unique values already.
  private var present: [PersistentIdentifier: Int] = [:]

  /// Notes that a record begins, which may name any identifier of this moment.
  mutating func beginRecord() {
    recordBegins = time
    records[time, default: 0] += 1
  }

  /// Notes that a record is gone, and forgets what only it could have asked for.
  mutating func endRecord(since begin: Int) {
    guard let count = records[begin] else { return }
    records[begin] = count > 1 ? count - 1 : nil
    guard count == 1 else { return }
    let oldest = records.keys.min() ?? .max
    guard oldest > begin else { return }
    successors = successors.filter { $0.value.time > oldest }
    present = present.filter { $0.value > oldest }
  }

  /// Notes that a model has got another identifier.
  mutating func replaced(_ identifier: PersistentIdentifier, by other: PersistentIdentifier) {
    guard !records.isEmpty else { return }
    time += 1
    successors[identifier] = (other, time)
  }

  /// Notes that a model which was inserted was in the store already.
  mutating func isPresent(_ identifier: PersistentIdentifier) {
    guard !records.isEmpty else { return }
    time += 1
    present[identifier] = time
  }

  /// Whether a model that was inserted was in the store already.
  func wasPresent(_ identifier: PersistentIdentifier) -> Bool { present[identifier] != nil }

  /// The identifier that a model has now.
  func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    var identifier = identifier
    while let next = successors[identifier]?.other, next != identifier { identifier = next }
    return identifier
  }
}
