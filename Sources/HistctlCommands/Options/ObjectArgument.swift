import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreFormat

/// An object on the command line: its key, its address, or its values.
enum ObjectArgument {
  static let help = "The object, such as Trip/p12 or 'Trip[name=Rome]'."

  /// The maximum number of objects that a message lists.
  private static let maxListed = 20

  /// Returns the objects that a text names.
  ///
  /// - Throws: ``Failure`` if no object has the values.
  static func objects(_ text: String, _ resolver: TokenResolver) throws -> [HistoryObject] {
    switch try ObjectExpression(text, now: resolver.now) {
    case .object(let object): return [object]
    case .values(let entity, let conditions):
      let search = try search(text, entity, conditions, in: resolver.timeline)
      if search.isCut { throw severalObjects(text, search) }
      return search.hits.map(\.object)
    }
  }

  /// Returns the one object that a text names; notes others with the same values.
  ///
  /// - Parameter preferred: Which objects are meant if some are in this state.
  /// - Throws: ``Failure`` if no object has the values, or several have.
  static func object(
    _ text: String, _ resolver: TokenResolver, _ session: Session,
    preferring preferred: ObjectSearch.State = .present
  ) throws -> HistoryObject {
    guard case .values(let entity, let conditions) = try ObjectExpression(text, now: resolver.now)
    else { return try HistoryObject(text) }
    let search = try search(text, entity, conditions, in: resolver.timeline)
    let likely = search.hits.filter { $0.state == preferred }
    let meant = likely.isEmpty ? search.hits : likely
    guard meant.count == 1, !search.isCut, let hit = meant.first else {
      throw severalObjects(text, search)
    }
    let others = search.hits.filter { $0 != hit }
    if !others.isEmpty {
      session.diagnostics.note(
        "\(list(others)) had these values too", kind: "otherObjects",
        ["objects": others.map(\.object.description)])
    }
    return hit.object
  }

  private static func search(
    _ text: String, _ entity: String, _ conditions: [ValueCondition], in timeline: HistoryTimeline
  ) throws -> ObjectSearch {
    let search = try ObjectSearch(entity, conditions, in: timeline, schema: timeline.schema())
    guard search.hits.isEmpty else { return search }
    throw Failure(
      .unknownObject,
      "'\(text)' is not an object of the store or its history, as far as values are known",
      hint: "histctl-values(7) describes which values of the past are known")
  }

  private static func severalObjects(_ text: String, _ search: ObjectSearch) -> Failure {
    Failure(
      .severalObjects,
      "'\(text)' names \(search.isCut ? "more than " : "")"
        + "\(Int64(search.hits.count).counted("object")): \(list(search.hits))",
      hint: "give the key of one, or more values: 'Trip[name=Rome][score>3]'",
      details: JSONValue.list(of: ["objects": search.hits.map(\.object.description)]))
  }

  private static func list(_ hits: [ObjectSearch.Hit]) -> String {
    hits.map { $0.object.description + ($0.state == .gone ? " (deleted)" : "") }.listed(maxListed)
  }
}
