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
  private let held: HeldModels
  private let time: Int
  private weak var recorder: UndoRecorder?

  /// A record.
  ///
  /// - Parameters:
  ///   - changes: What happened.
  ///   - time: When the first of it did.
  ///   - recorder: Learns when the record is let go.
  init(_ changes: [Change], since time: Int, of recorder: UndoRecorder) {
    self.changes = changes
    self.time = time
    self.recorder = recorder
    held = HeldModels(changes.map(\.subject))
  }

  deinit { recorder?.forgot(recordSince: time) }
}

extension UndoRecord.Change {
  /// The model that it happened to.
  var subject: UndoRecord.Subject {
    switch self {
    case .inserted(let subject), .deleted(let subject), .set(let subject, _, _),
      .replaced(let subject, _, _, _), .added(let subject, _, _), .removed(let subject, _, _):
      subject
    }
  }
}
