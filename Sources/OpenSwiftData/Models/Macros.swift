/// Makes a class one whose objects a store keeps.
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
/// A class that inherits from a model is one as well when it is marked itself; its own initialiser
/// calls that of its superclass.
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

/// Keeps the value of a stored property in a model's backing data; `@Model` attaches it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// Says what is special about an attribute.
///
/// - Parameters:
///   - options: What is special about it.
///   - originalName: The name that the attribute had before.
///   - hashModifier: What a version's hash is to contain besides.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")

/// Says what is special about a relationship.
///
/// - Parameters:
///   - options: What is special about it.
///   - deleteRule: What becomes of the models at its other end when this one is deleted.
///   - minimumModelCount: The least number of models at the other end; nothing enforces it.
///   - maximumModelCount: The greatest number of models at the other end; nothing enforces it.
///   - originalName: The name that the relationship had before.
///   - inverse: The relationship that leads back.
///   - hashModifier: What a version's hash is to contain besides.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")

/// Keeps a property out of the store.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PropertyMarkerMacro")

/// Says which properties' values together no two models may share.
///
/// Saving a new model whose values are there already updates the one that has them.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro") where T: PersistentModel

/// Says for which properties a store is to have an index.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro") where T: PersistentModel

/// Says for which properties a store is to have an index, and of which kind.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ConstraintMacro") where T: PersistentModel

/// Gives an actor a context of its own, whose work runs where the actor's does.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ModelActorMacro")
