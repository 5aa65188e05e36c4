import SwiftDiagnostics
import SwiftSyntax

/// What is wrong with a model's class, in words that say what to do.
enum ModelDiagnostic: DiagnosticMessage {
  case notAClass(String)
  case withoutInitializer(String)
  case subclassWithoutInitializer(String, superclass: String)
  case constant(String)
  case observed(String)
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
      "'@Model' makes models of classes, and '\(name)' is none; declare it as a class"
    case .withoutInitializer(let name):
      "'@Model' requires an initializer be provided for '\(name)'"
    case .subclassWithoutInitializer(let name, let superclass):
      "'@Model' requires an initializer be provided for '\(name)': that of '\(superclass)' is not "
        + "inherited; write one that gives the properties of '\(name)' values and calls super.init"
    case .constant(let name):
      "'\(name)' is a constant, and a store must be able to set it; declare it with 'var', or mark "
        + "it with '@Transient' and give it a value"
    case .observed(let name):
      "'\(name)' has observers, which are not called for properties of a model; remove them, or "
        + "mark it with '@Transient'"
    case .unsupportedModifier(let name, let modifier):
      "'\(name)' cannot be '\(modifier)' in a model; leave the modifier out, or mark the property "
        + "with '@Transient'"
    case .severalNames:
      "the properties of a model are declared one by one; give each a declaration of its own"
    case .unusableName(let name):
      "'\(name)' cannot be the name of a column in a store; use letters, digits and '_', or mark the "
        + "property with '@Transient'"
    case .conditional(let name):
      "'\(name)' stands under '#if', where '@Model' cannot tell whether it is there; move it out, or "
        + "put the '#if' around the whole class"
    case .transientWithoutDefault(let name):
      "'\(name)' is not stored, so a model that comes from a store needs a value for it; give it a "
        + "default value"
    case .twoKinds(let name):
      "'\(name)' is either an attribute or a relationship; remove '@Attribute' or '@Relationship'"
    case .notAnActor(let name):
      "'@ModelActor' needs an actor, and '\(name)' is none; declare it as an actor"
    }
  }

  var diagnosticID: MessageID {
    let name: String =
      switch self {
      case .notAClass: "notAClass"
      case .withoutInitializer: "withoutInitializer"
      case .subclassWithoutInitializer: "subclassWithoutInitializer"
      case .constant: "constant"
      case .observed: "observed"
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
