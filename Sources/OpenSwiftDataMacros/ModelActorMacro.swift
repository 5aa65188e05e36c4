import SwiftSyntax
import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor a context of its own.
enum ModelActorMacro: MemberMacro, ExtensionMacro {
  static let formatMode = FormatMode.disabled

  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self) else {
      let name = declaration.as(ClassDeclSyntax.self)?.name.text ?? "this"
      context.diagnose(ModelDiagnostic.notAnActor(name).diagnostic(at: node))
      return []
    }
    let access =
      declaration.modifiers.map(\.name.text).first { ["public", "package"].contains($0) }
      .map { $0 + " " } ?? ""
    return [
      "\(raw: access)nonisolated let modelExecutor: any OpenSwiftData.ModelExecutor",
      "\(raw: access)nonisolated let modelContainer: OpenSwiftData.ModelContainer",
      """
      \(raw: access)init(modelContainer: OpenSwiftData.ModelContainer) {
        self.modelExecutor = OpenSwiftData.DefaultSerialModelExecutor(
          modelContext: OpenSwiftData.ModelContext(modelContainer))
        self.modelContainer = modelContainer
      }
      """,
    ]
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self) else { return [] }
    let declaration: DeclSyntax = "extension \(type.trimmed): OpenSwiftData.ModelActor {}"
    return [declaration].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
