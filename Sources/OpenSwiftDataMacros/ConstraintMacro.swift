import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique` and `#Index`: marks that `@Model` reads, and nothing else.
enum ConstraintMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
