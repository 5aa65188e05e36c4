import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: adds the members by which a store keeps the objects of a class.
enum ModelMacro {
  static let formatMode = FormatMode.disabled

  /// Returns the errors in a class.
  private static func diagnostics(of model: ModelDeclaration) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    if !model.hasInitializer {
      let diagnostic: ModelDiagnostic =
        model.superclass.map { .subclassWithoutInitializer(model.name, superclass: $0) }
        ?? .withoutInitializer(model.name)
      diagnostics.append(diagnostic.diagnostic(at: model.declaration.name))
    }
    diagnostics += model.unreadableMembers
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
      if !property.hasPlainName {
        diagnostics.append(ModelDiagnostic.unusableName(property.name).diagnostic(at: place))
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
}

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let model = ModelDeclaration(declaration, conformingTo: protocols) else {
      let name =
        declaration.as(StructDeclSyntax.self)?.name.text
        ?? declaration.as(EnumDeclSyntax.self)?.name.text
        ?? declaration.as(ActorDeclSyntax.self)?.name.text ?? "this"
      context.diagnose(ModelDiagnostic.notAClass(name).diagnostic(at: node))
      return []
    }
    // The members are added even so: each use of a missing one would be an error of its own.
    let diagnostics = diagnostics(of: model)
    diagnostics.forEach(context.diagnose)
    let members = ModelMembers(model, isUsable: diagnostics.isEmpty)
    return (model.superclass.map { members.inheriting(from: $0) } ?? members.independent)
      .map { DeclSyntax(unparsed: $0) }
  }
}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    // Called for each member, which is all that it may look at.
    guard declaration.is(ClassDeclSyntax.self), let property = StoredProperty(member),
      property.isPersisted
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
    // A subclass of a model is a model already.
    guard let model = ModelDeclaration(declaration, conformingTo: protocols),
      model.superclass == nil
    else { return [] }
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
