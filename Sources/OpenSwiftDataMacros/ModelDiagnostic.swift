import SwiftDiagnostics
import SwiftSyntax

/// An error in the declaration of a model, with its remedy.
enum ModelDiagnostic: DiagnosticMessage {
  case notAClass(String)
  case withoutInitializer(String)
  case subclassWithoutInitializer(String, superclass: String)
  case unsupportedModifier(String, modifier: String)
  case severalNames
  case unusableName(String)
  case conditional(String)
  case transientWithoutDefault(String)
  case twoKinds(String)
  case notAnActor(String)

  var message: String {
    switch self {
    case .notAClass(let name):
      "'@Model' can be attached to classes only; declare '\(name)' as a class"
    case .withoutInitializer(let name):
      "'@Model' requires an initializer be provided for '\(name)'"
    case .subclassWithoutInitializer(let name, let superclass):
      "'@Model' requires an initializer be provided for '\(name)', because it does not inherit that "
        + "of '\(superclass)'; write one that sets the properties of '\(name)' and calls super.init"
    case .unsupportedModifier(let name, let modifier):
      "'\(name)' cannot be '\(modifier)' in a model; leave the modifier out, or mark the property "
        + "with '@Transient'"
    case .severalNames:
      "a declaration in a model can have one property only; give each a declaration of its own"
    case .unusableName(let name):
      "'\(name)' cannot be the name of a column in a store; use letters, digits and '_', or mark the "
        + "property with '@Transient'"
    case .conditional(let name):
      "'\(name)' stands under '#if', whose condition '@Model' cannot evaluate; move it out, or put "
        + "the '#if' around the whole class"
    case .transientWithoutDefault(let name):
      "'\(name)' is not stored, so that a fetched model has no value for it; give it a default value"
    case .twoKinds(let name):
      "'\(name)' cannot be both an attribute and a relationship; remove '@Attribute' or "
        + "'@Relationship'"
    case .notAnActor(let name):
      "'@ModelActor' can be attached to actors only; declare '\(name)' as an actor"
    }
  }

  var diagnosticID: MessageID {
    let name: String =
      switch self {
      case .notAClass: "notAClass"
      case .withoutInitializer: "withoutInitializer"
      case .subclassWithoutInitializer: "subclassWithoutInitializer"
      case .unsupportedModifier: "unsupportedModifier"
      case .severalNames: "severalNames"
      case .unusableName: "unusableName"
      case .conditional: "conditional"
      case .transientWithoutDefault: "transientWithoutDefault"
      case .twoKinds: "twoKinds"
      case .notAnActor: "notAnActor"
      }
    return MessageID(domain: "OpenSwiftDataMacros", id: name)
  }

  var severity: DiagnosticSeverity { .error }

  func diagnostic(at node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: self)
  }
}
