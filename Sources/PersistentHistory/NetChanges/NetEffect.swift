import StoreFormat

/// The effect of consecutive changes on whether an object exists.
///
/// Effects can be combined in any grouping (``followed(by:)`` is associative). They depend on three
/// facts: whether the object was there before the first change, whether it is there after the last,
/// and whether it was inserted or deleted at all. So every sequence has a result, also one that no
/// app can have recorded, or from which a filter has removed changes:
///
/// | before | after | result |
/// |---|---|---|
/// | no | no | nothing: the inserted object is gone again |
/// | no | yes | an insert |
/// | yes | no | a delete |
/// | yes | yes | an update, or a replacement if it was inserted or deleted in between |
///
/// An object was there before unless its first change is an insert, and is there afterwards unless
/// its last change is a delete.
package struct NetEffect: Hashable, Sendable {
  private let bits: UInt8

  /// Whether the object was there before.
  var existedBefore: Bool { bits & 1 != 0 }
  /// Whether the object is there afterwards.
  var existsAfter: Bool { bits & 2 != 0 }
  /// Whether it was inserted or deleted, so that the object afterwards is not the one before.
  var changesIdentity: Bool { bits & 4 != 0 }

  /// The effect of one change.
  package init(_ kind: ChangeKind) {
    self.init(
      existedBefore: kind != .insert, existsAfter: kind != .delete,
      changesIdentity: kind != .update)
  }

  @inline(__always)
  init(existedBefore: Bool, existsAfter: Bool, changesIdentity: Bool) {
    bits = (existedBefore ? 1 : 0) | (existsAfter ? 2 : 0) | (changesIdentity ? 4 : 0)
  }

  /// Returns the effect of this and then another.
  package func followed(by next: NetEffect) -> NetEffect {
    NetEffect(
      existedBefore: existedBefore, existsAfter: next.existsAfter,
      changesIdentity: changesIdentity || next.changesIdentity)
  }

  /// The kind of the effect; `nil` if there is none.
  package var kind: NetChangeKind? {
    switch (existedBefore, existsAfter) {
    case (false, false): nil
    case (false, true): .insert
    case (true, false): .delete
    case (true, true): changesIdentity ? .replace : .update
    }
  }
}

/// The net effect on an object between two positions in the history.
public enum NetChangeKind: String, CaseIterable, Hashable, Sendable {
  /// It was not there before.
  case insert
  /// Some of its properties were touched.
  case update
  /// It is no longer there.
  case delete
  /// It was deleted, and another object has its entity and primary key now.
  ///
  /// The frameworks do not reuse primary keys, except in a store whose counter was lost.
  case replace

  /// The name of the kind.
  public var name: String { rawValue }
}
