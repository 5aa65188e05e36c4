import SwiftSyntax

/// The members that `@Model` adds to a class, as source.
struct ModelMembers {
  private let model: ModelDeclaration
  /// Whether the class has no error, so that the initializer can work.
  private let isUsable: Bool
  private let name: String
  private let access: String

  init(_ model: ModelDeclaration, isUsable: Bool) {
    self.model = model
    self.isUsable = isUsable
    name = model.name
    access = model.access
  }

  /// The members of a class that does not inherit from another model.
  var independent: [String] {
    let data = "any OpenSwiftData.BackingData<\(name)>"
    let members = [
      """
      @exclusivity(unchecked) private var _$backingData: \(data) = \(name).createBackingData()
      """,
      """
      \(model.overridableAccess)var persistentBackingData: \(data) {
        get { _$backingData }
        set { _$backingData = newValue }
      }
      """,
      """
      \(model.isFinal ? access + "static" : model.overridableAccess + "class") \
      var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        [\(metadata)]
      }
      """,
      """
      \(access)required init(backingData: \(data)) {
        \(body(ending: "self.persistentBackingData = backingData"))
      }
      """,
      "\(access)struct _SwiftDataNoType {}",
    ]
    guard !model.isFinal else { return members }
    return members + [
      """
      \(model.overridableAccess)class \
      var schemaInheritance: OpenSwiftData.Schema.Inheritance {
        OpenSwiftData.Schema.Inheritance(\(name).self)
      }
      """,
      inheritableProperties(superclass: nil),
    ]
  }

  /// The members of a class that inherits from a model.
  ///
  /// Its initialiser gives its own properties values before the superclass has any, so it has backing
  /// data of its own until then, which take over those of the superclass when they are first needed.
  func inheriting(from superclass: String) -> [String] {
    let members = [
      """
      @exclusivity(unchecked) private var _$backingData: any OpenSwiftData.BackingData<\(name)> = \
      \(name).createBackingData()
      """,
      """
      private var _$isComplete = false
      """,
      """
      \(model.overridableAccess)override \
      var persistentBackingData: any OpenSwiftData.BackingData<Root> {
        get {
          if !_$isComplete {
            _$isComplete = true
            super.persistentBackingData = \(name).completeBackingData(
              _$backingData, with: super.persistentBackingData)
          }
          return super.persistentBackingData
        }
        set {
          _$isComplete = true
          super.persistentBackingData = newValue
        }
      }
      """,
      """
      \(model.overridableAccess)override class \
      var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        [\(metadata)]
      }
      """,
      """
      \(model.overridableAccess)override class \
      var schemaInheritance: OpenSwiftData.Schema.Inheritance {
        super.schemaInheritance.extended(
          to: \(name).self,
          properties: \(superclass)._$inheritableProperties(by: \(name).self))
      }
      """,
      """
      \(access)required init(backingData: any OpenSwiftData.BackingData<Root>) {
        \(body(ending: "super.init(backingData: backingData)"))
      }
      """,
      "\(access)struct _SwiftDataNoType {}",
    ]
    return model.isFinal
      ? members : members + [inheritableProperties(superclass: superclass)]
  }

  /// The function that names all properties of a class with key paths that start at a subclass: those
  /// that start at the class itself are not equal to them.
  private func inheritableProperties(superclass: String?) -> String {
    let properties = model.persisted.map { property in
      "OpenSwiftData.Schema.PropertyMetadata(name: \"\(property.name)\", "
        + "keypath: \\_Subclass.`\(property.name)`)"
    }.joined(separator: ",\n    ")
    let inherited =
      superclass.map { "\($0)._$inheritableProperties(by: _Subclass.self) + " } ?? ""
    return """
      \(model.access)static func _$inheritableProperties<_Subclass: \(model.name)>(
        by type: _Subclass.Type
      ) -> [OpenSwiftData.Schema.PropertyMetadata] {
        \(inherited)[\(properties)]
      }
      """
  }

  /// The class's own properties and constraints, as source.
  private var metadata: String {
    let properties = model.persisted.map { property in
      "OpenSwiftData.Schema.PropertyMetadata(name: \"\(property.name)\", "
        + "keypath: \\\(name).`\(property.name)`, "
        + "defaultValue: \(property.defaultValue ?? "nil"), metadata: \(property.metadata ?? "nil"))"
    }
    let constraints = model.constraints.map { constraint in
      "OpenSwiftData.Schema.PropertyMetadata(name: \"\", keypath: \\\(name).self, "
        + "metadata: OpenSwiftData.Schema.\(constraint.macroName.text)<\(name)>"
        + "(\(constraint.arguments.trimmedDescription)))"
    }
    return (properties + constraints).joined(separator: ",\n    ")
  }

  /// The statements of the initializer: the values are in the backing data, and the stored placeholders
  /// of the properties have none.
  private func body(ending end: String) -> String {
    // What the compiler finds missing would follow from the error that is reported.
    guard isUsable else { return "Swift.fatalError()" }
    return (model.persisted.map { "_\($0.name) = _SwiftDataNoType()" } + [end])
      .joined(separator: "\n  ")
  }
}
