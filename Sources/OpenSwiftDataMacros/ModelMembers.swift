import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class.
enum ModelMembers {
  /// The members of a class that does not inherit from another model.
  static func independent(_ model: ModelDeclaration) -> [DeclSyntax] {
    let (name, access) = (model.name, model.access)
    let data = "any OpenSwiftData.BackingData<\(name)>"
    let members: [DeclSyntax] = [
      """
      @Transient
      private var _$backingData: \(raw: data) = \(raw: name).createBackingData()
      """,
      """
      \(raw: model.overridableAccess)var persistentBackingData: \(raw: data) {
        get { _$backingData }
        set { _$backingData = newValue }
      }
      """,
      """
      \(raw: model.isFinal ? access + "static" : model.overridableAccess + "class") \
      var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        [\(raw: metadata(of: model))]
      }
      """,
      """
      \(raw: access)required init(backingData: \(raw: data)) {
        \(raw: blanks(of: model))self.persistentBackingData = backingData
      }
      """,
      "\(raw: access)struct _SwiftDataNoType {}",
    ]
    guard !model.isFinal else { return members }
    return members + [
      """
      \(raw: model.overridableAccess)class \
      var schemaInheritance: OpenSwiftData.Schema.Inheritance {
        OpenSwiftData.Schema.Inheritance(\(raw: name).self)
      }
      """,
      inheritableProperties(of: model, superclass: nil),
    ]
  }

  /// The members of a class that inherits from a model.
  ///
  /// Its initialiser gives its own properties values before the superclass has any, so it has backing
  /// data of its own until then, which take over those of the superclass when they are first needed.
  static func inheriting(_ model: ModelDeclaration, from superclass: String) -> [DeclSyntax] {
    let (name, access) = (model.name, model.access)
    let members: [DeclSyntax] = [
      """
      @Transient
      private var _$backingData: any OpenSwiftData.BackingData<\(raw: name)> = \
      \(raw: name).createBackingData()
      """,
      """
      @Transient
      private var _$isComplete = false
      """,
      """
      \(raw: model.overridableAccess)override \
      var persistentBackingData: any OpenSwiftData.BackingData<Root> {
        get {
          if !_$isComplete {
            _$isComplete = true
            super.persistentBackingData = \(raw: name).completeBackingData(
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
      \(raw: model.overridableAccess)override class \
      var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        [\(raw: metadata(of: model))]
      }
      """,
      """
      \(raw: model.overridableAccess)override class \
      var schemaInheritance: OpenSwiftData.Schema.Inheritance {
        super.schemaInheritance.extended(
          to: \(raw: name).self,
          properties: \(raw: superclass)._$inheritableProperties(by: \(raw: name).self))
      }
      """,
      """
      \(raw: access)required init(backingData: any OpenSwiftData.BackingData<Root>) {
        \(raw: blanks(of: model))super.init(backingData: backingData)
      }
      """,
      "\(raw: access)struct _SwiftDataNoType {}",
    ]
    return model.isFinal
      ? members : members + [inheritableProperties(of: model, superclass: superclass)]
  }

  /// The function that names all properties of a class with key paths that start at a subclass: those
  /// that start at the class itself are not equal to them.
  private static func inheritableProperties(
    of model: ModelDeclaration, superclass: String?
  ) -> DeclSyntax {
    let properties = model.persisted.map { property in
      "OpenSwiftData.Schema.PropertyMetadata(name: \"\(property.name)\", "
        + "keypath: \\_Subclass.`\(property.name)`)"
    }.joined(separator: ",\n")
    let inherited =
      superclass.map { "\($0)._$inheritableProperties(by: _Subclass.self) + " } ?? ""
    return """
      \(raw: model.access)static func _$inheritableProperties<_Subclass: \(raw: model.name)>(
        by type: _Subclass.Type
      ) -> [OpenSwiftData.Schema.PropertyMetadata] {
        \(raw: inherited)[\(raw: properties)]
      }
      """
  }

  /// The class's own properties and constraints, as source.
  private static func metadata(of model: ModelDeclaration) -> String {
    let name = model.name
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
    return (properties + constraints).joined(separator: ",\n")
  }

  /// Initializes the stored placeholders of the properties, as source: their values are in the backing
  /// data.
  private static func blanks(of model: ModelDeclaration) -> String {
    model.persisted.map { "_\($0.name) = _SwiftDataNoType()\n" }.joined()
  }
}
