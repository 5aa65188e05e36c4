/// How many changes of each kind a segment has of one entity.
package struct SegmentCount: Hashable, Sendable {
  /// The entity's name; nil for changes whose row names none, and where the store names no such
  /// number.
  package let entity: String?
  /// The entity's number in the store; nil for changes whose row names none.
  package let number: Int64?
  /// How many inserts.
  package let inserts: Int64
  /// How many updates.
  package let updates: Int64
  /// How many deletes.
  package let deletes: Int64
  /// How many changes are of a kind that no framework writes.
  package let others: Int64

  /// Counts.
  package init(
    entity: String?, number: Int64?, inserts: Int64 = 0, updates: Int64 = 0, deletes: Int64 = 0,
    others: Int64 = 0
  ) {
    self.entity = entity
    self.number = number
    self.inserts = inserts
    self.updates = updates
    self.deletes = deletes
    self.others = others
  }

  /// How many changes.
  package var changes: Int64 { inserts &+ updates &+ deletes &+ others }
}
