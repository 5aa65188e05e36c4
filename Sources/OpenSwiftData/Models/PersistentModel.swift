import Foundation
import Observation

/// A class whose objects a store keeps; `@Model` makes a class one.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class at the root of the hierarchy.
  associatedtype Root: PersistentModel = Self

  /// Makes an object whose values are somewhere already.
  init(backingData: any BackingData<Self>)

  /// Where the object's values are.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The properties that a store keeps.
  ///
  /// Those that the class inherits are not among them.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// What the class inherits from other models.
  static var schemaInheritance: Schema.Inheritance { get }
}

extension PersistentModel {
  /// Makes room for the values of a new object.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    ModelBackingData<P>(for: P.self)
  }

  /// What identifies the model; temporary until it is first saved.
  public var persistentModelID: PersistentIdentifier {
    // Only backing data of another kind can be without an identifier.
    persistentBackingData.persistentModelID
      ?? PersistentIdentifier(
        entityName: Schema.entityName(for: Self.self), storeIdentifier: nil, key: .text(""))
  }

  /// What identifies the model.
  public var id: PersistentIdentifier { persistentModelID }

  /// The context that the model belongs to; nil before it is inserted and after its deletion was
  /// saved.
  public var modelContext: ModelContext? { state?.context }

  /// Whether there are changes that were not saved yet.
  public var hasChanges: Bool {
    switch state?.phase {
    case .inserted, .deleted: true
    case .registered: state?.original != nil
    case .standalone, nil: false
    }
  }

  /// Whether the model is deleted, and that was not saved yet.
  public var isDeleted: Bool { state?.phase == .deleted }

  /// Whether both are the same model of the same context.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || (left.state != nil && left.state === right.state)
  }

  /// Feeds the model's identity into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(state.map(ObjectIdentifier.init) ?? ObjectIdentifier(self))
  }

  /// Where the values really are; nil where the backing data is not that of ``createBackingData()``.
  var state: ModelState? { (persistentBackingData as? StatefulBackingData)?.state }
}
