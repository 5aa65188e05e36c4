import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct OpenSwiftDataPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, PersistedPropertyMacro.self, PropertyMarkerMacro.self, ConstraintMacro.self,
    ModelActorMacro.self,
  ]
}
