import SwiftSyntax

/// The class that `@Model` is attached to, with its stored properties.
struct ModelDeclaration {
  let declaration: ClassDeclSyntax
  let properties: [StoredProperty]
  let constraints: [MacroExpansionDeclSyntax]
  /// The model that the class inherits from; nil where it inherits from none, and where that is not
  /// known.
  let superclass: String?

  /// - Parameter protocols: Those that the class is to be made conform to and does not yet; nil
  ///   where that is not known.
  /// - Returns: `nil` for a declaration that is not a class.
  init?(_ declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax]? = nil) {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
    self.declaration = declaration
    let members = declaration.memberBlock.members.map(\.decl)
    properties = members.compactMap { StoredProperty($0) }
    constraints = members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
      .filter { Self.isConstraint($0) }
    superclass = protocols.flatMap { Self.superclass(of: declaration, conformingTo: $0) }
  }

  /// A class that is a model without naming the protocol inherits it from the first type that it names.
  private static func superclass(
    of declaration: ClassDeclSyntax, conformingTo protocols: [TypeSyntax]
  ) -> String? {
    let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
    func isModel(_ type: TypeSyntax) -> Bool {
      type.trimmedDescription.split(separator: ".").last == "PersistentModel"
    }
    guard !protocols.contains(where: isModel), !inherited.contains(where: isModel) else {
      return nil
    }
    return inherited.first?.trimmedDescription
  }

  var name: String { declaration.name.text }
  var persisted: [StoredProperty] { properties.filter(\.isPersisted) }

  private var modifiers: [String] { declaration.modifiers.map(\.name.text) }
  /// Whether no class can inherit from it.
  var isFinal: Bool { modifiers.contains("final") }

  /// The access with which members can be used wherever the class is visible.
  var access: String {
    if modifiers.contains("public") || modifiers.contains("open") { return "public " }
    return modifiers.contains("package") ? "package " : ""
  }

  /// The access with which members can be overridden wherever the class can be inherited from.
  var overridableAccess: String { modifiers.contains("open") ? "open " : access }
}
