import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: gives a class what it takes for a store to keep its objects.
enum ModelMacro {
  /// The class that the macro is attached to, with its stored properties.
  private struct Model {
    let declaration: ClassDeclSyntax
    let properties: [StoredProperty]
    let constraints: [MacroExpansionDeclSyntax]

    init?(_ declaration: some DeclGroupSyntax) {
      guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
      self.declaration = declaration
      let members = declaration.memberBlock.members.map(\.decl)
      properties = members.compactMap { StoredProperty($0) }
      constraints = members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
        .filter { ["Unique", "Index"].contains($0.macroName.text) }
    }

    var name: String { declaration.name.text }
    var persisted: [StoredProperty] { properties.filter { !$0.isTransient } }
    var hasInitializer: Bool {
      declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
    }

    /// The access that members need so that everybody who sees the class can use them.
    var access: String {
      let levels = declaration.modifiers.map(\.name.text)
      if levels.contains("public") || levels.contains("open") { return "public " }
      return levels.contains("package") ? "package " : ""
    }
  }

  /// What is wrong with a class.
  private static func diagnostics(of model: Model) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    if !model.hasInitializer {
      diagnostics.append(
        ModelDiagnostic.withoutInitializer(model.name).diagnostic(at: model.declaration.name))
    }
    for property in model.properties {
      let place = property.binding.pattern
      if property.declaration.bindings.count > 1 {
        diagnostics.append(ModelDiagnostic.severalNames.diagnostic(at: property.declaration))
      }
      if property.isTransient {
        if !property.hasDefault {
          diagnostics.append(
            ModelDiagnostic.transientWithoutDefault(property.name).diagnostic(at: place))
        }
        continue
      }
      if property.isConstant {
        diagnostics.append(ModelDiagnostic.constant(property.name).diagnostic(at: place))
      }
      if property.hasObservers {
        diagnostics.append(ModelDiagnostic.observed(property.name).diagnostic(at: place))
      }
      if let modifier = property.unsupportedModifier {
        diagnostics.append(
          ModelDiagnostic.unsupportedModifier(property.name, modifier: modifier)
            .diagnostic(at: place))
      }
      if property.attribute("Attribute") != nil && property.attribute("Relationship") != nil {
        diagnostics.append(ModelDiagnostic.twoKinds(property.name).diagnostic(at: place))
      }
    }
    return diagnostics
  }

  /// Whether a property can be kept in a store.
  private static func isStorable(_ property: StoredProperty) -> Bool {
    !property.isTransient && !property.isConstant && !property.hasObservers
      && property.unsupportedModifier == nil && property.declaration.bindings.count == 1
  }
}

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let model = Model(declaration) else {
      let name =
        declaration.as(StructDeclSyntax.self)?.name.text
        ?? declaration.as(EnumDeclSyntax.self)?.name.text
        ?? declaration.as(ActorDeclSyntax.self)?.name.text ?? "this"
      context.diagnose(ModelDiagnostic.notAClass(name).diagnostic(at: node))
      return []
    }
    let diagnostics = diagnostics(of: model)
    guard diagnostics.isEmpty else {
      diagnostics.forEach(context.diagnose)
      return []
    }
    let (name, access) = (model.name, model.access)
    let data = "any OpenSwiftData.BackingData<\(name)>"
    let metadata =
      (model.persisted.map { property in
        "OpenSwiftData.Schema.PropertyMetadata(name: \"\(property.name)\", "
          + "keypath: \\\(name).`\(property.name)`, "
          + "defaultValue: \(property.defaultValue ?? "nil"), metadata: \(property.metadata ?? "nil"))"
      }
      + model.constraints.map { constraint in
        "OpenSwiftData.Schema.PropertyMetadata(name: \"\", keypath: \\\(name).self, "
          + "metadata: OpenSwiftData.Schema.\(constraint.macroName.text)<\(name)>"
          + "(\(constraint.arguments.trimmedDescription)))"
      }).joined(separator: ",\n")
    let blanks = model.persisted.map { "_\($0.name) = _SwiftDataNoType()\n" }.joined()
    return [
      """
      @Transient
      private var _$backingData: \(raw: data) = \(raw: name).createBackingData()
      """,
      """
      \(raw: access)var persistentBackingData: \(raw: data) {
        get { _$backingData }
        set { _$backingData = newValue }
      }
      """,
      """
      \(raw: access)static var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        [\(raw: metadata)]
      }
      """,
      """
      \(raw: access)required init(backingData: \(raw: data)) {
        \(raw: blanks)self.persistentBackingData = backingData
      }
      """,
      """
      @Transient
      private let _$observationRegistrar = Observation.ObservationRegistrar()
      """,
      "\(raw: access)struct _SwiftDataNoType {}",
    ]
  }
}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let model = Model(declaration), diagnostics(of: model).isEmpty,
      let property = StoredProperty(member), isStorable(property)
    else { return [] }
    return ["@_PersistedProperty"]
  }
}

extension ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let model = Model(declaration), diagnostics(of: model).isEmpty else { return [] }
    let declarations: [DeclSyntax] = [
      "extension \(type.trimmed): OpenSwiftData.PersistentModel, Observation.Observable {}",
      """
      @available(*, unavailable, message: "a model belongs to its context; send its \
      persistentModelID instead, or use a ModelActor")
      extension \(type.trimmed): Swift.Sendable {}
      """,
    ]
    return declarations.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
