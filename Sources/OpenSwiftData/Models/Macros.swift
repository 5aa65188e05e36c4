/// Makes a class a model, whose objects a store keeps.
///
/// ```swift
/// @Model
/// class Trip {
///   @Attribute(.preserveValueOnDeletion) var name: String
///   @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
///   var bucketList: [BucketListItem] = []
///
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// A subclass of a model is a model if it is marked too. Its initializer calls that of its
/// superclass.
///
/// ```swift
/// @Model
/// class BusinessTrip: Trip {
///   var perDiem: Double
///
///   init(name: String, perDiem: Double) {
///     self.perDiem = perDiem
///     super.init(name: name)
///   }
/// }
/// ```
@attached(
  member, conformances: Observable, PersistentModel, Sendable, names: named(_$backingData),
  named(persistentBackingData), named(schemaMetadata), named(init), named(_SwiftDataNoType),
  named(_$isComplete), named(schemaInheritance), named(_$inheritableProperties))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "OpenSwiftDataMacros", type: "ModelMacro")

/// Keeps the value of a stored property in a model's backing data; attached by `@Model`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// Describes an attribute.
///
/// - Parameters:
///   - options: The options of the attribute.
///   - originalName: The former name of the attribute.
///   - hashModifier: A text that makes its version differ from one with equal properties.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")

/// Describes a relationship.
///
/// - Parameters:
///   - options: The options of the relationship.
///   - deleteRule: What happens to the targets when the model is deleted.
///   - minimumModelCount: The minimum number of targets; not enforced.
///   - maximumModelCount: The maximum number of targets, 0 for no limit; not enforced.
///   - originalName: The former name of the relationship.
///   - inverse: The inverse relationship.
///   - hashModifier: A text that makes its version differ from one with equal properties.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")

/// Excludes a property from the store.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")

/// Declares properties whose values no two models may share.
///
/// Saving a new model with existing values updates the model that has them.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of a store.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of a store, with their kind.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro") where T: PersistentModel

/// Gives an actor a context of its own, and runs its work where the context is used.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ModelActorMacro")
