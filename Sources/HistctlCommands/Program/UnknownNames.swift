import PersistentHistory
import StoreFormat
import Terminal

/// Authors, bundles, processes and objects that queries name and none of their histories has.
///
/// Each history is searched while it is open, and what none has is reported once for all.
final class UnknownNames {
  private struct Names {
    let role: StringRole
    let noun: String
    let condition: (HistoryQuery) -> HistoryQuery.TextCondition
    var wanted: Set<String> = []
    var known: [String] = []
    /// Whether the names of a history cannot be listed, which may have each.
    var mayBeKnown = false
  }

  private var names = [
    Names(role: .author, noun: "author") { $0.author },
    Names(role: .bundle, noun: "bundle") { $0.bundle },
    Names(role: .process, noun: "process") { $0.process },
  ]
  private var knownObjects: Set<HistoryObject> = []
  private var unknownObjects: [HistoryObject: any Error] = [:]
  /// The error about an entity, an attribute or values of an object that a history does not have, of the history
  /// that has most of them, or a name that is near.
  private var unfit: (error: any Error, depth: Int, hasNearName: Bool)?
  /// Whether a history has all of them.
  private var fits = false

  /// The error about what none of the prepared histories has.
  var unfitForAll: (any Error)? { fits ? nil : unfit?.error }

  /// Prepares one of several histories; returns `nil` if it does not have an entity, an attribute or an object that
  /// a query names. It then has no matches, and the error is reported if no other history has it.
  func unlessUnknown<Result>(_ prepare: () throws -> Result) throws -> Result? {
    do {
      let result = try prepare()
      fits = true
      return result
    } catch {
      guard let depth = Failure(error).depthOfUnknownName else { throw error }
      let hasNearName =
        switch error as? HistoryError {
        case .unknownEntity(_, let names), .unknownAttribute(_, let names): !names.isEmpty
        default: false
        }
      // Histories come in any order.
      if unfit.map({ $0.depth < depth || $0.depth == depth && !$0.hasNearName && hasNearName })
        ?? true
      {
        unfit = (error, depth, hasNearName)
      }
      return nil
    }
  }

  /// Searches a history for the names in a query. It may read all transactions of an archive.
  func search(
    _ reading: HistoryReading, for query: HistoryQuery, onlyObjects: Bool = false
  ) throws {
    for place in names.indices where !onlyObjects {
      guard let wanted = names[place].condition(query).anyOf, !wanted.isEmpty else { continue }
      names[place].wanted.formUnion(wanted)
      guard let found = try reading.timeline.names(names[place].role) else {
        names[place].mayBeKnown = true
        continue
      }
      let known = Set(names[place].known)
      names[place].known += found.filter { !known.contains($0) }
    }
    let timeline = reading.timeline
    let objects = query.change.objects
    guard !objects.isEmpty else { return }
    guard timeline.snapshot.map({ $0.layout.history != nil }) ?? true else {
      return knownObjects.formUnion(objects)
    }
    let schema = try timeline.schema(
      timeline.snapshot.map { HistorySchema(namesOf: $0.entities) })
    for object in objects {
      let reader = try ObjectLifeReader(object, in: timeline, schema: schema)
      if try reader.nextTransaction() == nil, reader.life.state == .unknown {
        unknownObjects[object] = try reader.unknownObject()
      } else {
        knownObjects.insert(object)
      }
    }
  }

  /// Warns of unknown names, reports unknown objects as errors, and returns whether there was one.
  ///
  /// - Parameter onlyObjects: Whether to leave out authors, bundles and processes.
  @discardableResult
  func report(_ session: Session, onlyObjects: Bool = false) -> Bool {
    var isAny = false
    if let unfit = unfitForAll {
      isAny = true
      session.fail(with: unfit)
    }
    for names in names where !names.mayBeKnown && !onlyObjects {
      for name in names.wanted.sorted() where !names.known.contains(name) {
        isAny = true
        let near = NearNames.of(name, in: names.known)
        let hint =
          names.known.isEmpty
          ? "no transaction has any \(names.noun)"
          : near.isEmpty
            ? "there are: \(names.known.prefix(10).joined(separator: ", "))"
            : "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
        session.diagnostics.warn(
          "no transaction has the \(names.noun) '\(name)'",
          kind: "unknown" + names.noun.capitalized, hint: hint)
      }
    }
    for (object, problem) in unknownObjects.sorted(by: {
      $0.key.description < $1.key.description
    }) where !knownObjects.contains(object) {
      isAny = true
      session.fail(with: problem)
    }
    return isAny
  }
}

extension Failure {
  /// How much of what a condition names a history has, if it does not have all of it; `nil` for any other failure.
  fileprivate var depthOfUnknownName: Int? {
    [.unknownEntity, .unknownAttribute, .objectOfOtherStore, .unknownObject].firstIndex(of: kind)
  }
}
