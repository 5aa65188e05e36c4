import StoreFormat

/// What some changes, one after the other, did to whether an object is there.
///
/// One change has an effect, and effects that follow each other have one together; how they are
/// grouped makes no difference (``followed(by:)`` is associative). Only three things count: whether
/// the object was there before the first change, whether it is there after the last, and whether it
/// was inserted or deleted at all. So every sequence has a result, also one that no app can have
/// recorded and one of which a filter has left changes out:
///
/// | before | after | result |
/// |---|---|---|
/// | no | no | nothing: what was inserted is gone again |
/// | no | yes | an insert |
/// | yes | no | a delete |
/// | yes | yes | an update, or where it was inserted or deleted in between a replacement |
///
/// An object was there before unless its first change is an insert, and is there afterwards unless
/// its last change is a delete.
package struct NetEffect: Hashable, Sendable {
  /// Whether the object was there before.
  package let existedBefore: Bool
  /// Whether the object is there afterwards.
  package let existsAfter: Bool
  /// Whether it was inserted or deleted, so that what is there afterwards is not what was there
  /// before.
  package let changesIdentity: Bool

  /// The effect of one change.
  package init(_ kind: ChangeKind) {
    self.init(
      existedBefore: kind != .insert, existsAfter: kind != .delete,
      changesIdentity: kind != .update)
  }

  @inline(__always)
  init(existedBefore: Bool, existsAfter: Bool, changesIdentity: Bool) {
    self.existedBefore = existedBefore
    self.existsAfter = existsAfter
    self.changesIdentity = changesIdentity
  }

  /// The effect of this and then another.
  package func followed(by next: NetEffect) -> NetEffect {
    NetEffect(
      existedBefore: existedBefore, existsAfter: next.existsAfter,
      changesIdentity: changesIdentity || next.changesIdentity)
  }

  /// The effect in a word; nil where there is none.
  package var kind: NetChangeKind? {
    switch (existedBefore, existsAfter) {
    case (false, false): nil
    case (false, true): .insert
    case (true, false): .delete
    case (true, true): changesIdentity ? .replace : .update
    }
  }
}

/// What happened to an object between two positions in the history.
public enum NetChangeKind: String, CaseIterable, Hashable, Sendable {
  /// It was not there and is there now.
  case insert
  /// It was there and still is, and some of its properties were touched.
  case update
  /// It was there and is not there any more.
  case delete
  /// It was there and was deleted, and another object has its entity and primary key now.
  ///
  /// The frameworks do not use a primary key again; a store whose counter was lost does.
  case replace

  /// The kind in a word.
  public var name: String { rawValue }
}
