/// What happened to a context's models between two looks, in order.
///
/// An undo manager keeps records and gives them back to the context that they are of.
final class UndoRecord: @unchecked Sendable {
  /// A model, kept for as long as what happened to it may be undone.
  struct Subject {
    let model: any PersistentModel
    let state: ModelState
  }

  /// What happened to one model.
  enum Change {
    /// It came into the context.
    case inserted(Subject)
    /// It left the context.
    case deleted(Subject)
    /// An attribute or the other end of a to-one relationship had this value before.
    case set(Subject, index: Int, before: PropertyValue)
    /// A to-many relationship was set as a whole.
    case replaced(
      Subject, index: Int, before: [PersistentIdentifier], after: [PersistentIdentifier])
    /// A model was added to a to-many relationship.
    case added(Subject, index: Int, PersistentIdentifier)
    /// A model was taken out of a to-many relationship.
    case removed(Subject, index: Int, PersistentIdentifier)
  }

  let changes: [Change]

  init(_ changes: [Change]) { self.changes = changes }
}
